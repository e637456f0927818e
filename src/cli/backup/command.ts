import { Argument } from "commander";
import { command } from "../command.ts";
import { dataDirOption, defaultDataDir, prepareDataDir } from "../shared/data_dir.ts";

/** The objects of a data dir in one file. */
export const addBackupCommand = command({
  name: "backup",
  summary: "copy the objects that standalone keeps into one file",
  text: `
It may be taken while standalone runs: it holds all objects as they are at one moment. Certificates and tokens are not in
it. Secrets are, so only you can read the file. "restore" puts it back.`,
  examples: [
    ["backup objects.backup", "all that standalone keeps"],
    ["backup objects.backup --data-dir .data", "of another data dir"],
  ],
  argument: new Argument("<file>", "where to; what is there is replaced once the copy is whole"),
  options: [dataDirOption("of standalone")],
  run: async ({ dataDir = defaultDataDir() }, [file]) => {
    const { backupDatabase } = await import("../../apiserver/storage/backup.ts");
    await backupDatabase(dataDir, file!);
    console.log(`Backed up ${dataDir} to ${file}`);
  },
});

/** A backup in the place of what a data dir holds. */
export const addRestoreCommand = command({
  name: "restore",
  summary: "replace the objects that standalone keeps by those of a backup",
  text: `
It replaces all objects in the data dir; certificates, tokens and the kubeconfig stay. Clients that still know what was
there before must read anew. While standalone runs on the data dir, and from a file that is no backup, nothing is
restored and nothing changes.`,
  examples: [
    ["restore objects.backup", "into the data dir of standalone"],
    ["restore objects.backup --data-dir .data", "into another one"],
  ],
  argument: new Argument("<file>", "made by backup"),
  options: [dataDirOption("of standalone, which must not be running")],
  run: async ({ dataDir = defaultDataDir() }, [file]) => {
    const { restoreDatabase } = await import("../../apiserver/storage/backup.ts");
    await using prepared = await prepareDataDir(dataDir);
    restoreDatabase(dataDir, file!);
    // The objects of --apply-once are in the backup, or were deleted before it was taken.
    await prepared.markUsed();
    console.log(`Restored ${file} into ${dataDir}`);
  },
});
