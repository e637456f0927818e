import { useLayoutEffect, useRef } from "preact/hooks";

/** A dialog in front of the page, until it is closed. */
export function Modal({ label, onClose, children }: { label: string; onClose: () => void; children?: unknown }) {
  const ref = useRef<HTMLDialogElement | null>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // The focus has scrolled to the buttons, which are always in view: the question is to be in view too.
    if (dialog?.querySelector(".choices :focus")) dialog.scrollTop = 0;
    // Only a dialog that is closed, not one that is removed, gives the focus back to where it was.
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={ref} aria-label={label} onClose={onClose}>
      <h2>{label}</h2>
      {children}
    </dialog>
  );
}
