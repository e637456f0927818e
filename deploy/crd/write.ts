// Writes the definition of the CRD flavour from `src/cronjob/crd.ts`: `deno task manifests`.
import { stringify } from "yaml";
import { CRONJOB_CRD } from "../../src/cronjob/crd.ts";

export const FILE = new URL("batch.tutorial.kubebuilder.io_cronjobs.yaml", import.meta.url);

export function crdText(): string {
  return `# Written by deploy/crd/write.ts from src/cronjob/crd.ts\n${stringify(CRONJOB_CRD, { lineWidth: 120 })}`;
}

if (import.meta.main) await Deno.writeTextFile(FILE, crdText());
