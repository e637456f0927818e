import { type EpochMs, formatTime, parseTime } from "../../base/epoch_ms.ts";
import { ScheduleError } from "../../schedule/schedule_error.ts";
import { type GrammarName, GRAMMARS, readAskedSchedule } from "./asked_schedule.ts";
import { MOST_RUNS, type NextFlags } from "./flags.ts";

/** What a line leaves out. */
export interface BatchDefaults extends Pick<NextFlags, "timeZone" | "name" | "grammar" | "count"> {
  readonly from: EpochMs;
}

/** Says what is wrong with one question. */
class QuestionError extends Error {}

/** Answers every line of the input, many at a time, in order and as they come. */
export async function* answerBatch(input: ReadableStream<Uint8Array>, defaults: BatchDefaults): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of input) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    if (lines.length > 0) yield answer(lines);
  }
  yield answer([rest]);

  function answer(lines: readonly string[]): string {
    return lines.filter((line) => line.trim() !== "").map((line) => answerBatchLine(line, defaults) + "\n").join("");
  }
}

/**
 * Answers `{"schedule","timeZone","from","count","name","grammar"}` with `{"schedule","next":[…]}` or
 * `{"schedule","error"}`, both one line of JSON. Everything but `schedule` may be left out; times are RFC 3339.
 */
export function answerBatchLine(line: string, defaults: BatchDefaults): string {
  let schedule: unknown = null;
  try {
    const question = readQuestion(line);
    schedule = question.schedule ?? null;
    return JSON.stringify({ schedule, ...nextRuns(question, defaults) });
  } catch (error) {
    if (!(error instanceof ScheduleError || error instanceof QuestionError)) throw error;
    return JSON.stringify({ schedule, error: error.message });
  }
}

function readQuestion(line: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new QuestionError(`Not a line of JSON: ${(error as Error).message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new QuestionError('Must be an object such as {"schedule":"0 2 * * *","timeZone":"Europe/Berlin"}');
  }
  return value as Record<string, unknown>;
}

function nextRuns(question: Record<string, unknown>, defaults: BatchDefaults): { next: string[] } {
  const { schedule: text, from, count = defaults.count } = question;
  if (typeof text !== "string") throw new QuestionError("schedule must be a string");
  const after = from === undefined || from === null ? defaults.from : parseTime(String(from));
  if (after === undefined) throw new QuestionError("from must be RFC 3339, such as 2026-01-02T03:04:05Z");
  if (!Number.isInteger(count) || (count as number) < 1 || (count as number) > MOST_RUNS) {
    throw new QuestionError(`count must be a whole number from 1 to ${MOST_RUNS}`);
  }
  const grammar = textOf(question, "grammar") ?? defaults.grammar;
  if (!isGrammar(grammar)) throw new QuestionError(`grammar must be one of ${GRAMMARS.join(", ")}`);
  const asked = readAskedSchedule(text, grammar, {
    timeZone: textOf(question, "timeZone") ?? defaults.timeZone,
    hashKey: textOf(question, "name") ?? defaults.name,
  });
  const schedule = asked.anchoredAt(after);
  const runs: string[] = [];
  for (let run = schedule.next(after); run !== undefined && runs.length < (count as number); run = schedule.next(run)) {
    runs.push(formatTime(run));
  }
  return { next: runs };
}

function isGrammar(text: string): text is GrammarName {
  return (GRAMMARS as readonly string[]).includes(text);
}

function textOf(question: Record<string, unknown>, key: string): string | undefined {
  const value = question[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new QuestionError(`${key} must be a string`);
  return value;
}
