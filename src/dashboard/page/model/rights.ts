// @ts-check
/** @import { ActionName, RightsAnswer, Row } from "../../wire.ts" */
import { useEffect } from "../html.js";
import { read } from "../server.js";
import { useValue, Value } from "./value.js";

/** What may be done can change: it is asked again after so long. */
const KEEP_MS = 30_000;

/** @type {RightsAnswer} */
const NONE = { actions: {}, mayReadLogs: false };

/** @type {Map<string, { value: Value<RightsAnswer>, askedAt: number }>} */
const known = new Map();

/** @param {string} namespace */
function rightsIn(namespace) {
  let found = known.get(namespace);
  if (!found) known.set(namespace, found = { value: new Value(NONE), askedAt: -Infinity });
  return found;
}

/** Nothing is allowed until the server has said so. @param {string} namespace @returns {RightsAnswer} */
export function useRights(namespace) {
  const { value } = rightsIn(namespace);
  useEffect(() => {
    ask(namespace);
    const timer = setInterval(() => ask(namespace), KEEP_MS);
    return () => clearInterval(timer);
  }, [namespace]);
  return useValue(value);
}

/** @param {string} namespace @returns {Promise<RightsAnswer>} */
export async function rightsOf(namespace) {
  await ask(namespace);
  return rightsIn(namespace).value.current;
}

/** @param {string} namespace */
async function ask(namespace) {
  const found = rightsIn(namespace);
  if (Date.now() - found.askedAt < KEEP_MS) return;
  found.askedAt = Date.now();
  try {
    const answer = await read(`/api/rights?${new URLSearchParams({ namespace })}`);
    if (JSON.stringify(answer) !== JSON.stringify(found.value.current)) found.value.set(answer);
  } catch {
    // What was known holds; a visitor who may not do something learns so by trying.
    found.askedAt = -Infinity;
  }
}

/**
 * What can be done about a CronJob by a visitor with these rights, the likeliest remedy first.
 *
 * @param {Row} row @param {RightsAnswer} rights @returns {ActionName[]}
 */
export function actionsOn(row, rights) {
  const allowed = rights.actions[row.apiVersion] ?? [];
  const remedies = row.actions.flatMap((action) => REMEDIES[action.do] ?? []);
  const others = /** @type {ActionName[]} */ (isHeld(row) ? ["resume", "run"] : ["run", "pause"]);
  return [...new Set([...remedies, ...others, /** @type {const} */ ("backfill")])]
    .filter((name) => allowed.includes(name));
}

/** @param {Row} row */
function isHeld({ state, actions }) {
  return state === "Paused" || state === "Suspended" ||
    actions.some(({ do: name }) => REMEDIES[name]?.[0] === "resume");
}

/** @type {Readonly<Partial<Record<Row["actions"][number]["do"], readonly ActionName[]>>>} */
const REMEDIES = {
  DeleteJob: ["delete-job"],
  RunNow: ["run"],
  Resume: ["resume"],
  ResumeAfterFailures: ["resume"],
  Unsuspend: ["resume"],
};

/** The Job whose output says most: of the trouble, else of the newest run. @param {Row} row @returns {string | undefined} */
export function jobToRead(row) {
  return row.cause?.job ?? row.active.at(-1) ?? row.lastRuns.find(({ job }) => job !== undefined)?.job;
}

/** The Job that hangs. @param {Row} row @returns {string | undefined} */
export function jobToDelete({ actions }) {
  for (const action of actions) if (action.do === "DeleteJob") return action.job;
}
