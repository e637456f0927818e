import type { Container, PodSpec, SecurityContext } from "kubernetes-types/core/v1";
import { firstRefusal, type Refusal, type Rule, unusableFields } from "../inputs/check.ts";
import { isPause } from "./container_command.ts";

/** The names of variables that every shell hands on. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The user and groups of the program; undefined where the system knows no such numbers. */
export type Self = ReturnType<typeof whoWeAre>;

/** Returns who this program runs as. */
export function whoWeAre() {
  return { uid: Deno.uid() ?? undefined, gid: Deno.gid() ?? undefined };
}

/**
 * Returns the first thing in a Pod that a local process cannot have or must not get, if there is one.
 *
 * @param self undefined: which user a process may have is not judged
 */
export function processRefusal(spec: PodSpec, self?: Self): Refusal | undefined {
  return firstRefusal(spec, {
    hostPath: (volume) => ({
      what: `Volume "${volume}" has a hostPath, which`,
      isAsked: true,
      why: "is not possible: a process sees the machine's files under their own paths",
    }),
    container: containerRules,
    security: (context, field) => self ? userRules(context, field, self) : [],
  });
}

/** Returns what a container asks for that changes how it would run on a cluster, but not here. */
export function ignoredFields(container: Container): string[] {
  return [
    ...unusableFields(container),
    ...(container.env ?? []).filter(({ name }) => !SHELL_NAME.test(name)).map(({ name }) => `env ${name}`),
    ...container.resources?.limits ? ["resources.limits"] : [],
  ];
}

function containerRules(container: Container, field: string): Rule[] {
  const { privileged, capabilities } = container.securityContext ?? {};
  const added = capabilities?.add ?? [];
  const why = "is not possible: containers are plain processes here";
  return [
    { what: `${field}.securityContext.privileged`, isAsked: privileged, why },
    { what: `${field}.securityContext.capabilities.add [${added.join(", ")}]`, isAsked: added.length > 0, why },
    {
      what: `Container "${container.name}" has neither command nor args, and its image's own entry point`,
      isAsked: !container.command?.length && !container.args?.length && !isPause(container),
      why: `is not known as images are not pulled here: set ${field}.command to what is to run`,
      reason: "MissingCommand",
    },
  ];
}

function userRules(context: SecurityContext, field: string, { uid, gid }: Self): Rule[] {
  const { runAsUser = uid, runAsGroup = gid, runAsNonRoot } = context;
  const why = `is not possible: processes run as the user who started the program (${uid}:${gid}); leave the field ` +
    "out, or have podman or docker run it (--container-runtime)";
  return [
    { what: `${field}.runAsUser ${runAsUser}`, isAsked: runAsUser !== uid, why },
    { what: `${field}.runAsGroup ${runAsGroup}`, isAsked: runAsGroup !== gid, why },
    { what: `${field}.runAsNonRoot`, isAsked: runAsNonRoot && uid === 0, why },
  ];
}
