import html from "./page/index.html" with { type: "text" };
import htmlScript from "./page/html.js" with { type: "text" };
import main from "./page/main.js" with { type: "text" };
import server from "./page/server.js" with { type: "text" };
import style from "./page/style.css" with { type: "text" };
import hooks from "./page/vendor/hooks.js" with { type: "text" };
import htm from "./page/vendor/htm.js" with { type: "text" };
import preact from "./page/vendor/preact.js" with { type: "text" };

/** A file of the page, as a browser gets it. */
export interface PageFile {
  readonly type: string;
  readonly text: string;
}

const HTML = "text/html; charset=utf-8";
const CSS = "text/css; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";

/** All files of the page by their paths. They are part of the program: whoever has the executable has the page. */
export const PAGE_FILES: Readonly<Record<string, PageFile>> = {
  "/": { type: HTML, text: html },
  "/page/style.css": { type: CSS, text: style },
  "/page/html.js": script(htmlScript),
  "/page/main.js": script(main),
  "/page/server.js": script(server),
  "/page/vendor/hooks.js": script(hooks),
  "/page/vendor/htm.js": script(htm),
  "/page/vendor/preact.js": script(preact),
};

/** What is imported as text has for a type that of the script itself. */
function script(text: unknown): PageFile {
  return { type: SCRIPT, text: text as string };
}
