// Prints what says to an image's builder where the image comes from: `--label NAME=VALUE`, a word a line.
import { addressesOf, addressLabels } from "./addresses.ts";

for (const [label, value] of Object.entries(addressLabels(addressesOf(Deno.env)))) {
  console.log(`--label\n${label}=${value}`);
}
