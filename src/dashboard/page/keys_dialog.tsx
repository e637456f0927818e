import { Modal } from "./parts/modal.tsx";
import { isHelpOpen, KEYS, usesLetters } from "./keys.ts";
import { useValue } from "./model/value.ts";

export function KeysDialog() {
  const isOpen = useValue(isHelpOpen);
  const letters = useValue(usesLetters);
  const change = (event: Event) => {
    const { checked } = event.target as HTMLInputElement;
    usesLetters.set(checked);
    localStorage.setItem("letters", checked ? "on" : "off");
  };
  return isOpen && (
    <Modal label="Keys" onClose={() => isHelpOpen.set(false)}>
      <dl class="keys">
        {KEYS.map(({ keys, does }) => (
          <div key={keys} class="line">
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={letters} onChange={change} /> Use these keys
      </label>
      <div class="choices">
        <button type="button" class="primary" autofocus onClick={() => isHelpOpen.set(false)}>Close</button>
      </div>
    </Modal>
  );
}
