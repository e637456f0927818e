/** A file of the page, as a browser gets it. */
export interface PageFile {
  readonly type: string;
  readonly text: string;
}

/** All files of the page by their paths. */
export type PageFiles = Readonly<Record<string, PageFile>>;

/** The build of the program puts the files here, in place of the text: see `deploy/binary/bundle.ts`. */
export const BUILT = "files of the page" as string | PageFiles;
