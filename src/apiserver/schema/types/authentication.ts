import type { TypeTable } from "../type_table.ts";

export const AUTHENTICATION_TYPES: TypeTable = {
  SelfSubjectReview: { metadata: "1 meta.ObjectMeta value", status: "2 SelfSubjectReviewStatus value" },
  SelfSubjectReviewStatus: { userInfo: "1 UserInfo value" },
  UserInfo: { username: "1 string", uid: "2 string", groups: "3 []string" },
};
