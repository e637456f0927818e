import { Lexer } from "yaml";

/** Lines of a file, both included, counted from 1. */
export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** A comment of a YAML file. */
export interface Comment {
  readonly text: string;
  readonly line: number;
  readonly column: number;
  /** Whether nothing else stands on its line. */
  readonly isAlone: boolean;
}

/** Returns the lines of each document. A comment in front of the first belongs to it. */
export function documentSpans(text: string): LineSpan[] {
  const lines = text.split("\n");
  const starts = lines.flatMap((line, i) => /^---(\s|$)/.test(line) ? [i + 1] : []);
  const head = lines.slice(0, (starts[0] ?? lines.length + 1) - 1);
  const firsts = head.every((line) => /^\s*(#.*)?$|^%/.test(line)) && starts.length > 0
    ? [1, ...starts.slice(1)]
    : [1, ...starts];
  return firsts.map((first, i) => ({ first, last: (firsts[i + 1] ?? lines.length + 1) - 1 }));
}

/** In the lexer's output these take no place in the text. */
const CONTROL_TOKENS = ["\u0002", "\u0018", "\u001f"];

/** Returns the comments that hold the mark: a # inside a text begins none. */
export function commentsWith(mark: string, text: string): Comment[] {
  const comments: Comment[] = [];
  let offset = text.startsWith("\ufeff") ? 1 : 0;
  let isScalar = false;
  for (const token of new Lexer().lex(text.slice(offset))) {
    if (!isScalar && token.startsWith("#") && token.includes(mark)) {
      const before = text.slice(0, offset);
      const start = before.lastIndexOf("\n") + 1;
      comments.push({
        text: token,
        line: before.split("\n").length,
        column: offset - start + 1,
        isAlone: before.slice(start).trim() === "",
      });
    }
    isScalar = token === "\u001f";
    if (!CONTROL_TOKENS.includes(token)) offset += token.length;
  }
  return comments;
}

/** What Helm alone knows. Programs have templates of the same form in their arguments. */
const HELM =
  /\{\{-?\s*(?:\/\*|[^}]*\$?\.(?:Values|Release|Chart|Files|Capabilities|Template)\b|(?:include|template|tpl|toYaml)\s)/;
/** A line that is nothing but a statement. */
const STATEMENT = /^\s*\{\{-?\s*(?:(?:if|else|end|range|with|define|block)\b|\$\w*\s*:?=)[^}]*\}\}\s*$/;

/** Returns where in these lines a Helm template begins; undefined where there is none. */
export function templateIn(text: string, { first, last }: LineSpan): { line: number; column: number } | undefined {
  const lines = text.split("\n").slice(first - 1, last);
  const i = lines.findIndex((line) => !line.trimStart().startsWith("#") && (HELM.test(line) || STATEMENT.test(line)));
  const line = lines[i];
  return line === undefined ? undefined : { line: first + i, column: line.indexOf("{{") + 1 };
}
