import { Button } from "./button.tsx";

/** One of a few. */
export function Chips<Value>(
  { label, options, chosen, onChoose }: {
    label: string;
    options: readonly (readonly [text: string, value: Value])[];
    chosen: Value;
    onChoose: (value: Value) => void;
  },
) {
  return (
    <div class="bar chips" role="group" aria-label={label}>
      {options.map(([text, value]) => (
        <Button
          key={text}
          class="chip"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {text}
        </Button>
      ))}
    </div>
  );
}
