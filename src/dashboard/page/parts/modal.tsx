import { useLayoutEffect, useRef } from "preact/hooks";

/** Before all else, until it is closed. */
export function Modal({ label, onClose, children }: { label: string; onClose: () => void; children?: unknown }) {
  const ref = useRef<HTMLDialogElement | null>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // Buttons are always in view: so is the question.
    if (dialog?.querySelector(".choices :focus")) dialog.scrollTop = 0;
    // Closed, and not only taken away, it gives the focus back to where it was.
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={ref} aria-label={label} onClose={onClose}>
      <h2>{label}</h2>
      {children}
    </dialog>
  );
}
