import type { Command } from "commander";
import { type DataDirOption, dataDirOption, defaultDataDir, prepareDataDir } from "../shared/data_dir.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";

const NOTES: HelpNotes = {
  text: `
It replaces all objects in the data dir; certificates, tokens and the kubeconfig stay. Clients that still know what was
there before must read anew. While standalone runs on the data dir, and from a file that is no backup, nothing is
restored and nothing changes.`,
  examples: [
    ["restore objects.backup", "into the data dir of standalone"],
    ["restore objects.backup --data-dir .data", "into another one"],
  ],
};

/** Adds `restore`: a backup in the place of what a data dir holds. */
export function addRestoreCommand(program: Command): void {
  addHelpNotes(program.command("restore"), NOTES)
    .summary("replace the objects that standalone keeps by those of a backup")
    .description("Replaces the objects that standalone keeps by those of a backup.")
    .argument("<file>", "made by backup")
    .addOption(dataDirOption("of standalone, which must not be running"))
    .action(async (file: string, options: DataDirOption) => {
      const { restoreDatabase } = await import("../../apiserver/storage/backup.ts");
      const dataDir = options.dataDir ?? defaultDataDir();
      await using prepared = await prepareDataDir(dataDir);
      restoreDatabase(dataDir, file);
      // What --apply-once brought at first is in the backup, or was deleted before it was taken.
      await prepared.markUsed();
      console.log(`Restored ${file} into ${dataDir}`);
    });
}
