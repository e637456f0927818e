import { temporaryFolder } from "../../support/program.ts";

/** Calls `use` with a file that holds these manifests. */
export async function withFile(manifests: string, use: (path: string) => Promise<void>): Promise<void> {
  await using folder = await temporaryFolder({ "manifests.yaml": manifests });
  await use(`${folder.path}/manifests.yaml`);
}
