import { styleText } from "node:util";

/** How what is printed may look. */
export interface Terminal {
  /** Whether people read it: else there is no colour, nothing is cut, and marks are ASCII. */
  readonly isTerminal: boolean;
  readonly hasColour: boolean;
  /** In characters; 0 where the terminal does not say. */
  readonly columns: number;
}

export const PLAIN: Terminal = { isTerminal: false, hasColour: false, columns: Infinity };

/** Standard output as it is. */
export function standardOutput(): Terminal {
  if (!Deno.stdout.isTerminal()) return PLAIN;
  const { columns } = Deno.consoleSize();
  return { isTerminal: true, hasColour: !Deno.noColor, columns };
}

export type Colour = "red" | "yellow" | "green" | "gray" | "cyan";

/** Returns the text as it is where there is no colour to be seen. */
export function coloured(text: string, colour: Colour | undefined, { hasColour }: Terminal): string {
  return hasColour && colour !== undefined && text !== "" ? styleText(colour, text, { validateStream: false }) : text;
}
