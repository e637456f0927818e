/// <reference lib="dom" />
import { show } from "./app.tsx";
import { post, session } from "./server.ts";

/** Logs in by the code in the link, and takes the code out of it: it stays neither in the address nor in the history. */
async function logInByLink(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  // The answer is a cookie.
  await post("/api/login", { code });
}

async function arrive() {
  const why = await logInByLink().then(() => "", ({ message }) => String(message));
  return { who: await session(), why };
}

const arrival = arrive();
// A link that is opened in the tab of the page changes the fragment alone.
addEventListener("hashchange", () => location.hash.startsWith("#code=") && location.reload());
// The script stands in the head: what it asks for is under way before the page is read.
addEventListener("DOMContentLoaded", () => void show(arrival));
