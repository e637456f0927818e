import { Modal } from "./parts/modal.tsx";
import { isHelpOpen, KEYS, usesLetters } from "./keys.ts";
import { useValue } from "./model/value.ts";
import { Button } from "./parts/elements.tsx";

export function KeysDialog() {
  const isOpen = useValue(isHelpOpen);
  const letters = useValue(usesLetters);
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
        <input type="checkbox" checked={letters} onChange={(event) => usesLetters.set(event.currentTarget.checked)} />
        {" "}
        Use these keys
      </label>
      <div class="choices">
        <Button class="primary" autofocus onClick={() => isHelpOpen.set(false)}>Close</Button>
      </div>
    </Modal>
  );
}
