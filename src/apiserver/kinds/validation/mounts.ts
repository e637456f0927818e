import type { Json } from "../../resource_kind.ts";
import { DESCENDING_PATH, repeatedBy } from "./check.ts";
import { type Findings, invalidValue, notFound, required } from "./field_errors.ts";
import type { PodScope } from "./pod_scope.ts";

/** Core `ValidateVolumeMounts`. */
export function volumeMounts({ volumeMounts: mounts = [] }: Json, path: string, { volumes }: PodScope): Findings {
  const twins = repeatedBy(mounts, "mountPath");
  return mounts.map((mount: Json, index: number) => {
    const place = `${path}.volumeMounts[${index}]`, { name, mountPath, subPath, subPathExpr } = mount;
    const invalid = (field: string, why: string) => invalidValue(`${place}.${field}`, mount[field], why);
    return [
      !name && required(`${place}.name`),
      !volumes.has(name) && notFound(`${place}.name`, name),
      !mountPath && required(`${place}.mountPath`),
      twins.has(mount) && invalid("mountPath", "must be unique"),
      subPath && DESCENDING_PATH(subPath, `${place}.subPath`),
      subPathExpr && subPath && invalid("subPathExpr", "subPathExpr and subPath are mutually exclusive"),
      subPathExpr && DESCENDING_PATH(subPathExpr, `${place}.subPathExpr`),
    ];
  });
}
