import type { Container, PodSpec } from "kubernetes-types/core/v1";
import { firstRefusal, notAllowed, type Refusal, unusableFields } from "../inputs/check.ts";
import { isPause } from "./container_command.ts";

/** Who the program runs as; undefined where the system knows no such numbers. */
export interface Self {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
}

/** Returns who this program runs as. */
export function whoWeAre(): Self {
  return { uid: Deno.uid() ?? undefined, gid: Deno.gid() ?? undefined };
}

/**
 * Returns the first thing in a Pod that a local process cannot have or must not get, if there is one.
 *
 * @param self undefined: which user a process may have is not judged
 */
export function processRefusal(spec: PodSpec, self: Self | undefined): Refusal | undefined {
  return firstRefusal(spec, {
    hostPath: ({ name }) =>
      notAllowed(
        `Volume "${name}" has a hostPath, which is not possible: a process sees the machine's files under their own paths`,
      ),
    container: checkContainer,
    security: (context, field) => checkUser(context, field, self),
  });
}

/** Returns what a container asks for that changes how it would run on a cluster, but not here. */
export function ignoredFields(container: Container): string[] {
  return [
    ...unusableFields(container),
    ...container.resources?.limits ? ["resources.limits"] : [],
  ];
}

function checkContainer(container: Container, field: string): Refusal | undefined {
  const security = container.securityContext;
  if (security?.privileged) {
    return notAllowed(`${field}.securityContext.privileged is not possible: containers are plain processes here`);
  }
  const added = security?.capabilities?.add ?? [];
  if (added.length > 0) {
    return notAllowed(
      `${field}.securityContext.capabilities.add [${
        added.join(", ")
      }] is not possible: containers are plain processes here`,
    );
  }
  if (!container.command?.length && !container.args?.length && !isPause(container)) {
    return {
      reason: "MissingCommand",
      message: `Container "${container.name}" has neither command nor args, and its image's own entry point is not ` +
        `known as images are not pulled here: set ${field}.command to what is to run`,
    };
  }
  return undefined;
}

function checkUser(
  context: { runAsUser?: number; runAsGroup?: number; runAsNonRoot?: boolean } | undefined,
  field: string,
  self: Self | undefined,
): Refusal | undefined {
  if (!self) return undefined;
  if (context?.runAsUser !== undefined && context.runAsUser !== self.uid) {
    return notAllowed(
      `${field}.runAsUser ${context.runAsUser} is not possible: processes run as the user who started the program ` +
        `(${self.uid}); leave the field out, or have podman or docker run it (--container-runtime)`,
    );
  }
  if (context?.runAsGroup !== undefined && context.runAsGroup !== self.gid) {
    return notAllowed(
      `${field}.runAsGroup ${context.runAsGroup} is not possible: processes run with the group of who started the ` +
        `program (${self.gid}); leave the field out`,
    );
  }
  if (context?.runAsNonRoot && self.uid === 0) {
    return notAllowed(
      `${field}.runAsNonRoot is not possible: the program was started by root, and processes run as who started it`,
    );
  }
  return undefined;
}
