/** The image of this program's release: the bundle of a release has it in the place of this text. */
export const RELEASED_IMAGE: string = "no release";
