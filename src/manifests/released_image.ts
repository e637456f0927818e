/** The image of the release that this program is of. It takes the place of this text as the program is bundled for one. */
export const RELEASED_IMAGE: string = "no release";
