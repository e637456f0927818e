import { ownValue } from "../runtime/own_value.ts";
import { stableHash } from "../schedule/stable_hash.ts";

/** A CronJob's name may have 52 characters, as its Jobs' names are longer; a suffix takes 7 of them. */
const LONGEST_BASE = 52 - 7;

/** Programs that only say how another one is to run: which of their options take a word, and how many words follow those. */
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

/** Programs whose first argument says what runs. */
const INTERPRETERS = /^(ba|da|k|z)?sh$|^(python|perl|ruby|php|node|deno|bun|java|lua)[\d.]*$|^run-parts$/;

/** Steps on the way to what an entry is there for. */
const PREPARATIONS = /^(cd|\.|source|test|\[|\[\[|export|umask|ulimit|sleep|set|if|mkdir|:|true)$/;

/** A name for a CronJob that runs `script`: of its first program that does the work. */
export function baseName(script: string): string {
  const steps = script.split(/&&|\|\||[;|\n]/).map((step) => programOf(step.trim())).filter((name) => name !== "");
  const name = steps.find((step) => !PREPARATIONS.test(step)) ?? steps[0] ?? "";
  return asLabel(name) || "cron-job";
}

function programOf(step: string): string {
  const words = step.replaceAll(/["'(){}]/g, " ").trim().split(/\s+/).filter((word) => !/^[A-Za-z_]\w*=/.test(word));
  let program = "";
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    program = fileName(word);
    const wrapper = INTERPRETERS.test(program) ? {} : ownValue(WRAPPERS, program);
    if (wrapper === undefined) return program.replace(/\.[a-z]\w{0,3}$/i, "");
    const { options = "", words: own = 0 } = wrapper;
    for (let option = words[0]; option?.startsWith("-"); option = words[0]) {
      words.splice(0, option.length === 2 && options.includes(option.charAt(1)) ? 2 : 1);
    }
    words.splice(0, own);
  }
  return program;
}

function fileName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** DNS-1123: small letters, digits and dashes, a letter or digit at each end. */
function asLabel(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").slice(0, LONGEST_BASE).replaceAll(/^-+|-+$/g, "");
}

/** What an entry's name is made of. */
export interface NamedEntry {
  readonly script: string;
  /** The whole line. */
  readonly text: string;
}

/**
 * A name for each entry. Where several run programs of one name, what its line says distinguishes each, so that no name
 * depends on the order of the lines, or on lines above it.
 *
 * @param host of which machine they are, where there are several
 */
export function namesOf(entries: readonly NamedEntry[], host?: string): string[] {
  const based = entries.map(({ script, text }) => {
    return { text, base: asLabel(host === undefined ? baseName(script) : `${host}-${baseName(script)}`) };
  });
  const taken = new Set<string>();
  return based.map(({ text, base }) => {
    const isAlone = based.filter((other) => other.base === base).length === 1;
    return takeName(isAlone ? base : `${base}-${suffixOf(text)}`, taken);
  });
}

/** Returns the name, with a number behind it where lines that say the same have taken it. */
export function takeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let copy = 2; taken.has(name); copy++) name = `${wanted.slice(0, 49)}-${copy}`;
  taken.add(name);
  return name;
}

/** Distinguishes entries that run programs of one name. */
export function suffixOf(text: string): string {
  return stableHash(text.replaceAll(/\s+/g, " ")).toString(36).padStart(6, "0").slice(-6);
}
