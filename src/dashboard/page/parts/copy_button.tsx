import { useEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";

/** So long the button says that it has copied. */
const SAID_MS = 3_000;

/** Copies a text, where the browser lets a page do so. */
export function CopyButton({ text, label = "Copy" }: { text: string | (() => string); label?: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === "string" ? text : text());
    setCopied(true);
  };
  return navigator.clipboard && <Button class="small" onClick={copy}>{isCopied ? "Copied" : label}</Button>;
}
