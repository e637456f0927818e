import { inWords } from "../model/schedule_words.ts";

/** A schedule; hovering says it in words, where words are right. */
export function Schedule({ text, isInWords = false }: { text: string; isInWords?: boolean }) {
  const words = inWords(text);
  return (
    <>
      <code title={words ?? text} dir="auto">{text}</code>
      {isInWords && words !== undefined && <span>{words}</span>}
    </>
  );
}
