import { formatTable } from "../print/table.ts";
import { ANSWERS, EXIT_CODES } from "./exit_codes.ts";

/** Two tables: what exit codes mean to all commands, and what to some. */
export function exitCodesText(): string {
  const general = formatTable([["CODE", "MEANING"], ...EXIT_CODES.map(({ code, meaning }) => [`${code}`, meaning])]);
  const special = formatTable([
    ["COMMAND", "0", "1"],
    ...ANSWERS.map((answer) => [answer.command, answer[0], answer[1]]),
  ]);
  return `${general}\n\n${special}`;
}
