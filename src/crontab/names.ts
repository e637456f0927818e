import { ownValue } from "../base/own_value.ts";

/** A CronJob's name may have 52 characters, as its Jobs' names are longer. */
const LONGEST_NAME = 52;
/** A longer argument, such as a path or a query, would say less than a number does. */
const LONGEST_WORD = 20;

/** Programs that only run another program: the options that take a word, and how many words follow the options. */
const WRAPPERS: Readonly<Record<string, { options?: string; words?: number }>> = {
  command: {},
  env: { options: "uC" },
  exec: {},
  nohup: {},
  setsid: {},
  chronic: {},
  time: { options: "fo" },
  sudo: { options: "ugphCT" },
  nice: { options: "n" },
  ionice: { options: "cn" },
  flock: { options: "wE", words: 1 },
  timeout: { options: "ks", words: 1 },
};

/** Programs whose first argument is the program that they run. */
const INTERPRETERS = /^(ba|da|k|z)?sh$|^(python|perl|ruby|php|node|deno|bun|java|lua)[\d.]*$|^run-parts$/;

/** Steps that prepare the work of an entry. */
const PREPARATIONS = /^(cd|\.|source|test|\[|\[\[|export|umask|ulimit|sleep|set|if|mkdir|:|true)$/;

/** Returns the base of a CronJob's name: the first program of `script` that does the work. */
export function baseName(script: string): string {
  return asLabel(programIn(script).name) || "cron-job";
}

/** Options whose value must not be in a name, since names appear in mails and metrics. */
const SECRET = /^(?:-[uph]|--(?:user|pass\w*|secret|token|auth|header|(?:\w+-?)?key)\b)/i;

/** Returns the words by which entries of one program are distinguished: `daily` of `report --daily`. */
function wordsOf(script: string): string[] {
  const { words } = programIn(script);
  const end = words.findIndex((word) => /^\d?[<>]/.test(word));
  return words.slice(0, end < 0 ? undefined : end)
    .filter((word, i) => !/[$%`@]/.test(word) && !SECRET.test(word) && !SECRET.test(words[i - 1] ?? ""))
    .map((word) => asLabel(fileName(word.replace(/\/+$/, ""))))
    .filter(({ length }) => length >= 2 && length <= LONGEST_WORD);
}

/** Returns the program that does the work of a script, and the words that it is given. */
function programIn(script: string): ReturnType<typeof programOf> {
  const steps = script.split(/&&|\|\||[;|\n]/).map((step) => programOf(step.trim())).filter(({ name }) => name !== "");
  return steps.find(({ name }) => !PREPARATIONS.test(name)) ?? steps[0] ?? { name: "", words: [] };
}

function programOf(step: string): { readonly name: string; readonly words: readonly string[] } {
  const words = step.replaceAll(/["'(){}]/g, " ").trim().split(/\s+/).filter((word) => !/^[A-Za-z_]\w*=/.test(word));
  let name = "";
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    name = fileName(word);
    const wrapper = INTERPRETERS.test(name) ? {} : ownValue(WRAPPERS, name);
    if (wrapper === undefined) return { name: name.replace(/\.[a-z]\w{0,3}$/i, ""), words };
    const { options = "", words: own = 0 } = wrapper;
    for (let option = words[0]; option?.startsWith("-"); option = words[0]) {
      words.splice(0, option.length === 2 && options.includes(option.charAt(1)) ? 2 : 1);
    }
    words.splice(0, own);
  }
  return { name, words };
}

function fileName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** DNS-1123: small letters, digits and dashes, a letter or digit at each end. */
function asLabel(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").slice(0, LONGEST_NAME).replaceAll(/^-+|-+$/g, "");
}

/** An entry, as far as its name depends on it. */
export interface NamedEntry {
  readonly script: string;
  /** Its whole line. */
  readonly text: string;
  /** The name that its comment asks for. */
  readonly givenName?: string;
}

/** A CronJob of an earlier import, and the line that it came from. */
export interface EarlierCronJob {
  readonly name: string;
  /** The earlier line. */
  readonly text: string;
}

/** Signs that two lines are the same entry, the surest first. */
const LIKENESS: readonly ((entry: NamedEntry, earlier: EarlierCronJob) => boolean)[] = [
  ({ text }, earlier) => normal(text) === normal(earlier.text),
  // Its times were edited.
  ({ text }, earlier) => withoutTimes(text) === withoutTimes(earlier.text),
  // Its arguments were edited.
  (entry, earlier) => timesOf(entry.text) === timesOf(earlier.text) && isOfProgram(entry, earlier),
  isOfProgram,
];

function isOfProgram({ script }: NamedEntry, { name }: EarlierCronJob): boolean {
  return name === baseName(script) || name.startsWith(`${baseName(script)}-`);
}

/**
 * Returns a name for each entry: the given one; else its former one, as long as the line resembles the former line, so that
 * an edit changes a CronJob rather than putting another one in its place; else that of its program, with a word of its own
 * where several run it.
 *
 * @param options.before the CronJobs of an earlier import
 * @param options.host the machine that their names begin with; absent where there is only one
 */
export function namesOf(
  entries: readonly NamedEntry[],
  { before = [], host }: { readonly before?: readonly EarlierCronJob[]; readonly host?: string | undefined } = {},
): string[] {
  const labelOf = (name: string) => host === undefined ? name : asLabel(`${host}-${name}`);
  const names = new Map<NamedEntry, string>();
  const given = new Set<string>();
  for (const entry of entries) {
    if (entry.givenName !== undefined) names.set(entry, takeName(labelOf(entry.givenName), given));
  }
  const left = new Map(before.filter(({ name }) => !given.has(name)).map((earlier) => [earlier.name, earlier]));
  for (const isLike of LIKENESS) {
    for (const entry of entries) {
      const earlier = names.has(entry) ? undefined : left.values().find((each) => isLike(entry, each));
      if (earlier === undefined) continue;
      names.set(entry, earlier.name);
      left.delete(earlier.name);
    }
  }
  const taken = new Set([...names.values(), ...before.map(({ name }) => name)]);
  const programs = entries.map((entry) => {
    return { entry, base: labelOf(baseName(entry.script)), words: wordsOf(entry.script) };
  });
  return programs.map(({ entry, base, words }) => {
    const peers = programs.filter((other) => other.entry !== entry && other.base === base);
    const ownWord = peers.length === 0
      ? undefined
      : words.find((word) => peers.every((other) => !other.words.includes(word)));
    return names.get(entry) ?? takeName(ownWord === undefined ? base : withEnd(base, `-${ownWord}`), taken);
  });
}

/** Takes a name, with a number behind it where it is taken already, and returns it. */
function takeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let copy = 2; taken.has(name); copy++) name = withEnd(wanted, `-${copy}`);
  taken.add(name);
  return name;
}

function withEnd(name: string, end: string): string {
  return `${name.slice(0, LONGEST_NAME - end.length)}${end}`;
}

/** Returns why a name cannot be that of a CronJob; undefined if it can. */
export function nameFault(name: string): string | undefined {
  if (name.length <= LONGEST_NAME && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) return undefined;
  return `must be small letters, digits and dashes, ${LONGEST_NAME} at most, such as ${
    asLabel(name) || "nightly-report"
  }`;
}

/** Returns what stands behind the times of a line. */
export function withoutTimes(line: string): string {
  return normal(line).slice(timesOf(line).length).trimStart();
}

function timesOf(line: string): string {
  const words = normal(line).split(" ");
  return words.slice(0, words[0]?.startsWith("@") ? 1 : 5).join(" ");
}

function normal(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
