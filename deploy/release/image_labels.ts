// Prints how an image's builder is told where the image comes from: `--label NAME=VALUE`, a word a line.
import { addressesOf, addressLabels } from "./addresses.ts";

for (const [label, value] of Object.entries(addressLabels(addressesOf(Deno.env)))) {
  console.log(`--label\n${label}=${value}`);
}
