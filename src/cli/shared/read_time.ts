import type { ReadTime } from "../../dashboard/read_time.ts";
import { readPeopleTime } from "./people_time.ts";

/** Times on the page are written as on the command line. */
export const readTime: ReadTime = (text, what, options) => readPeopleTime(text, what, options).at;
