/** Writes an instant as a clock and a calendar on this machine show it: `2026-11-22 23:45:08`. */
export function localTime(instant: number): string {
  const date = new Date(instant);
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${date.toTimeString().slice(0, 8)}`;
}
