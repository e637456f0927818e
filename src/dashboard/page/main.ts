// @ts-check
/// <reference lib="dom" />
import { post, session } from "./server.js";

/** Logs in by the code in the link, which is taken out of it: it stays neither in the address nor in the history. */
async function logInByLink() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  await post("/api/login", { code });
}

async function arrive() {
  const why = await logInByLink().then(() => "", ({ message }) => String(message));
  return { who: await session(), why };
}

// The rest of the page comes meanwhile.
const arrival = arrive();
arrival.catch(() => {/* the page says so */});
const { show } = await import("./app.js");
await show(arrival);
