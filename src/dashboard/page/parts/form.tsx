import type { ComponentProps } from "preact";
import { useState } from "preact/hooks";
import { messageOf } from "../server.ts";
import { Button } from "./elements.tsx";

/** The typed text, without empty fields. */
export type Fields = Readonly<Record<string, string>>;

interface FormProps {
  /** Undefined where there is nothing to submit. */
  readonly submitLabel: string | undefined;
  readonly isDanger?: boolean;
  /** Whether the submit button has the focus, rather than a field. */
  readonly hasFocus?: boolean;
  readonly isHidden?: boolean;
  readonly cancelLabel?: string;
  readonly onCancel?: () => void;
  /** Why the form is shown again. */
  readonly error?: string | undefined;
  /** An error is shown, and the typed text stays. */
  readonly onSubmit: (fields: Fields) => void | Promise<void>;
  readonly children: unknown;
}

/** A form whose button is disabled until `onSubmit` has ended. */
export function Form(
  { submitLabel, isDanger, hasFocus, isHidden, cancelLabel = "Cancel", onCancel, error: first, onSubmit, children }:
    FormProps,
) {
  const [{ isBusy, error }, setStep] = useState({ isBusy: false, error: first });
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const fields = [...new FormData(event.currentTarget as HTMLFormElement)].map(([name, text]) => [name, `${text}`]);
    setStep({ isBusy: true, error: undefined });
    try {
      await onSubmit(Object.fromEntries(fields.filter(([, text]) => text?.trim() !== "")));
      setStep({ isBusy: false, error: undefined });
    } catch (error) {
      setStep({ isBusy: false, error: messageOf(error) });
    }
  };
  return (
    <form class={isHidden ? "" : "stack"} onSubmit={submit} hidden={isHidden}>
      {children}
      {error !== undefined && <bdi class="error" role="alert">{error}</bdi>}
      <div class="choices">
        {onCancel && <Button class="plain" onClick={onCancel}>{cancelLabel}</Button>}
        {submitLabel && (
          <button type="submit" class={isDanger ? "primary danger" : "primary"} disabled={isBusy} autofocus={hasFocus}>
            {isBusy ? "Wait…" : submitLabel}
          </button>
        )}
      </div>
    </form>
  );
}

/** A text to type, under its label. */
export function Field({ label, hint, ...input }: { label: string; hint?: string } & ComponentProps<"input">) {
  return (
    <label class="stack">
      <span>
        {label} {hint && <span class="quiet">{hint}</span>}
      </span>
      <input autocomplete="off" spellcheck={false} {...input} ref={input.autofocus ? focus : null} />
    </label>
  );
}

/** Browsers heed `autofocus` only where a page or a dialog opens with the field. */
const focus = (input: HTMLInputElement | null) => input?.focus();
