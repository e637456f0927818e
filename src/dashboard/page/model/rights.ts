import type { ActionName, RightsAnswer, Row } from "../../wire.ts";
import { useEffect } from "preact/hooks";
import type { Action } from "../../../view/cron_job_view.ts";
import { remedyOf } from "../../../view/remedies.ts";
import { read } from "../server.ts";
import { useValue, Value } from "./value.ts";

/** Rights can change: they are asked for again after so long. */
const KEEP_MS = 30_000;

const NONE: RightsAnswer = { actions: {}, mayReadLogs: false };

const known: Map<string, { value: Value<RightsAnswer>; askedAt: number }> = new Map();

function rightsIn(namespace: string) {
  let found = known.get(namespace);
  if (!found) known.set(namespace, found = { value: new Value(NONE), askedAt: -Infinity });
  return found;
}

/** Nothing is allowed until the server has said so. */
export function useRights(namespace: string): RightsAnswer {
  const { value } = rightsIn(namespace);
  useEffect(() => {
    ask(namespace);
    const timer = setInterval(() => ask(namespace), KEEP_MS);
    return () => clearInterval(timer);
  }, [namespace]);
  return useValue(value);
}

export async function rightsOf(namespace: string): Promise<RightsAnswer> {
  await ask(namespace);
  return rightsIn(namespace).value.current;
}

async function ask(namespace: string) {
  const found = rightsIn(namespace);
  if (Date.now() - found.askedAt < KEEP_MS) return;
  found.askedAt = Date.now();
  try {
    const answer = await read<RightsAnswer>(`/api/rights?${new URLSearchParams({ namespace })}`);
    if (JSON.stringify(answer) !== JSON.stringify(found.value.current)) found.value.set(answer);
  } catch {
    // The known rights hold; a visitor without a right learns so by trying.
    found.askedAt = -Infinity;
  }
}

/** The actions on a CronJob that these rights allow, the likeliest remedy first. */
export function actionsOn(row: Row, rights: RightsAnswer | undefined): ActionName[] {
  const allowed = rights?.actions[row.apiVersion] ?? [];
  const remedies = row.actions.flatMap((action) => BUTTONS[action.do] ?? []);
  const usual: readonly ActionName[] = remedies.includes("resume") ? ["resume", "run"] : ["run", "pause"];
  const others: readonly ActionName[] = [
    ...usual,
    ...jobToDelete(row) === undefined ? [] : ["delete-job" as const],
    "backfill",
    ...row.backfill ? ["cancel-backfill" as const] : [],
  ];
  return [...new Set([...remedies, ...others])].filter((name) => allowed.includes(name));
}

/** The likeliest remedy that a visitor with these rights has: a button, the logs, or else an explanation. */
export function remedyOn(row: Row, rights: RightsAnswer): ActionName | "logs" | "explain" {
  return beforeTyped(row).map((action) => buttonFor(action, row, rights)).find(Boolean) ?? "explain";
}

/** Returns whether an action is to be tried first. */
export function isFirst(row: Row, action: ActionName): boolean {
  return beforeTyped(row).some(({ do: name }) => BUTTONS[name] === action);
}

/** Remedies after one to type help less. */
function beforeTyped({ actions }: Row): readonly Action[] {
  const typed = actions.findIndex(({ do: name }) => !BUTTONS[name] && name !== "ReadLogs" && name !== "Wait");
  return typed < 0 ? actions : actions.slice(0, typed);
}

/** Returns the remedies, as one types or writes them, that no button of this visitor does. */
export function withoutButton(row: Row, rights: RightsAnswer): readonly string[] {
  return row.actions.filter((action) => buttonFor(action, row, rights) === undefined)
    .map((action) => remedyOf(action, row));
}

function buttonFor({ do: name }: Action, { apiVersion }: Row, rights: RightsAnswer): ActionName | "logs" | undefined {
  if (name === "ReadLogs") return rights.mayReadLogs ? "logs" : undefined;
  const button = BUTTONS[name];
  return button && rights.actions[apiVersion]?.includes(button) ? button : undefined;
}

/** Returns whether fields of the spec or annotations hold a CronJob that no pause of this program wrote. */
export function hasForeignHold({ actions }: Row): boolean {
  return actions.some((action) =>
    action.do === "Resume"
      ? action.by === undefined
      : ["Unsuspend", "EndPauseInSpec", "CorrectPause"].includes(action.do)
  );
}

/** The buttons that do what a remedy says. */
const BUTTONS: Readonly<Partial<Record<Action["do"], ActionName>>> = {
  DeleteJob: "delete-job",
  RunNow: "run",
  Resume: "resume",
  ResumeHalted: "resume",
  Unsuspend: "resume",
  EndPauseInSpec: "resume",
  CorrectPause: "resume",
};

/** The Job whose output says most: of the trouble, else of the newest run. */
export function jobToRead(row: Row): string | undefined {
  return row.cause?.job ?? row.active.at(-1) ?? row.lastRuns.find(({ job }) => job !== undefined)?.job;
}

/** Returns the Job that keeps others from starting: one that never started, or one that is waited for. */
export function jobToDelete({ actions }: Row): string | undefined {
  for (const action of actions) if (action.do === "DeleteJob" || action.do === "Wait") return action.job;
}
