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
  for (let at = 0; at < words.length;) {
    const program = fileName(words[at]);
    const wrapper = INTERPRETERS.test(program) ? {} : Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
    if (wrapper === undefined) return program.replace(/\.[a-z]\w{0,3}$/i, "");
    const { options = "", words: own = 0 } = wrapper;
    at++;
    while (words[at]?.startsWith("-")) at += words[at].length === 2 && options.includes(words[at][1]) ? 2 : 1;
    at += own;
    if (words[at] === undefined) return program;
  }
  return "";
}

function fileName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** DNS-1123: small letters, digits and dashes, a letter or digit at each end. */
function asLabel(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").slice(0, LONGEST_BASE).replaceAll(/^-+|-+$/g, "");
}

/**
 * A name for each entry. Where several run programs of one name, each is told apart by what its line says, so that no name
 * depends on the order of the lines, or on lines above it.
 *
 * @param entries script and whole line of each
 * @param host of which machine they are, where there are several
 */
export function namesOf(
  entries: readonly { readonly script: string; readonly text: string }[],
  host?: string,
): string[] {
  const bases = entries.map(({ script }) =>
    asLabel(host === undefined ? baseName(script) : `${host}-${baseName(script)}`)
  );
  const taken = new Set<string>();
  return entries.map(({ text }, i) => {
    const isAlone = bases.filter((base) => base === bases[i]).length === 1;
    const wanted = isAlone ? bases[i] : `${bases[i]}-${suffixOf(text)}`;
    let name = wanted;
    // Lines that say the same.
    for (let copy = 2; taken.has(name); copy++) name = `${wanted.slice(0, 49)}-${copy}`;
    taken.add(name);
    return name;
  });
}

function suffixOf(text: string): string {
  return stableHash(text.replaceAll(/\s+/g, " ")).toString(36).padStart(6, "0").slice(-6);
}
