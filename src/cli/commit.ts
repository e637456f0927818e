/** The commit that the program was built from. The real one takes its place as the program is bundled. */
export const COMMIT: string = "dev";
