/** The commit that the program was built from. The real one takes this one's place as the program is bundled. */
export const COMMIT: string = "dev";
