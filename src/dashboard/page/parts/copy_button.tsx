import { useState } from "preact/hooks";

/** Copies a text, where the browser lets a page do so. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [copied, setCopied] = useState("");
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(text);
  };
  return navigator.clipboard && (
    <button type="button" class="small" onClick={copy}>{copied === text ? "Copied" : label}</button>
  );
}
