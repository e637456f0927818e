import { TypePackage } from "../type_table.ts";
import { META_TYPES } from "./meta.ts";

export const AUTHENTICATION_TYPES: TypePackage = new TypePackage("authentication", {
  SelfSubjectReview: { metadata: "1 meta.ObjectMeta value", status: "2 SelfSubjectReviewStatus value" },
  SelfSubjectReviewStatus: { userInfo: "1 UserInfo value" },
  UserInfo: { username: "1 string", uid: "2 string", groups: "3 []string" },
}, { uses: [META_TYPES] });
