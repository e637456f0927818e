/** What an expression asks for: metrics with the labels that it selects by, and labels that it groups or joins by. */
export interface Uses {
  readonly metrics: { readonly name: string; readonly labels: readonly string[] }[];
  readonly groupedBy: readonly string[];
}

const WORDS = new Set(["and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring", "inf", "nan"]);
const CLAUSE = /\b(by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;

/** Reads as much of PromQL as is used here. */
export function usesOf(expr: string): Uses {
  const groupedBy = new Set<string>();
  let rest = expr.replaceAll(CLAUSE, (_, _word, list: string) => {
    for (const label of list.split(",")) if (label.trim()) groupedBy.add(label.trim());
    return " ";
  });
  const metrics: { name: string; labels: string[] }[] = [];
  rest = rest.replaceAll(/([a-zA-Z_:][\w:]*)\s*\{([^}]*)\}/g, (_, name: string, matchers: string) => {
    const labels = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = ""]) => label);
    metrics.push({ name, labels });
    return " ";
  });
  rest = rest.replaceAll(/\[[^\]]*\]|"[^"]*"|\boffset\s+\w+/g, " ");
  for (const { 0: name, index } of rest.matchAll(/[a-zA-Z_:][\w:]*/g)) {
    const isFunction = /^\s*\(/.test(rest.slice(index + name.length));
    const isNumber = /[\d.]$/.test(rest.slice(0, index));
    if (!isFunction && !isNumber && !WORDS.has(name.toLowerCase())) metrics.push({ name, labels: [] });
  }
  return { metrics, groupedBy: [...groupedBy] };
}

/** The labels that each metric in Prometheus' text format has. */
export function labelsByMetric(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const line of text.split("\n")) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/.exec(line);
    if (!match) continue;
    const [, name = "", labels = ""] = match;
    const known = found.get(name) ?? new Set();
    for (const [, label = ""] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) {
      known.add(label);
    }
    found.set(name, known);
  }
  return found;
}
