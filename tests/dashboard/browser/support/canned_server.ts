import { SECURITY_HEADERS } from "../../../../src/dashboard/http/guards.ts";
import type { PageFiles } from "../../../../src/dashboard/built_page.ts";
import { serve } from "../../../support/serve.ts";
import { loadPage } from "../../../../src/dashboard/page_files.ts";
import type {
  ActionAnswer,
  ActionResult,
  AskedRunAnswer,
  Calendar,
  Detail,
  Explained,
  LogMessage,
  RightsAnswer,
  RowsMessage,
  Session,
  Target,
  Timeline,
} from "../../../../src/dashboard/wire.ts";

/** What the server answers, to show the page what a real one could not be brought to within a test. */
export interface Canned {
  readonly session: Session;
  /** Sent to every page that connects; more is sent later on. */
  readonly rows: readonly RowsMessage[];
  /** In their place, for the namespaces that are asked for. */
  readonly rowsOf?: (namespaces: readonly string[]) => readonly RowsMessage[];
  /** In place of `session`, as it is now. */
  readonly sessionNow?: () => Session;
  /** Takes the code of a link. */
  readonly logIn?: (code: unknown) => void;
  readonly rights?: RightsAnswer;
  readonly detail?: (name: string) => Detail | undefined;
  readonly logs?: readonly LogMessage[];
  /** In their place, as they are now, where no last words are asked for. */
  readonly logsNow?: () => readonly LogMessage[];
  readonly timeline?: (ids: readonly string[], from: number, to: number) => Timeline;
  readonly calendar?: (name: string, from: number, to: number) => Calendar | undefined;
  readonly load?: unknown;
  /** In its place, for the namespaces that are asked for. */
  readonly loadOf?: (namespaces: readonly string[]) => unknown;
  readonly explained?: (name: string) => Explained | undefined;
  /** Answers what is asked to be done. */
  readonly done?: (action: string, body: CannedBody) => ActionAnswer;
  /** The answer about a run that was asked for. */
  readonly askedRun?: AskedRunAnswer;
}

/** The body of any action. */
export interface CannedBody extends Readonly<Record<string, unknown>> {
  readonly targets:
    readonly (Target & Pick<ActionResult, "heldBy"> & { readonly of?: string; readonly withForeign?: boolean })[];
}

export interface CannedServer extends AsyncDisposable {
  readonly url: string;
  tell(message: RowsMessage): void;
  /** Ends the connections. */
  drop(): void;
  /** Ends the connections, and refuses new ones. */
  goAway(): void;
}

/** Serves the page as the program does, under the same policy, with answers that stand beforehand. */
export function serveCanned(canned: Canned): CannedServer {
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  let isAway = false;
  let page: Promise<PageFiles> | undefined;
  const rows = (query: URLSearchParams) =>
    new Response(
      new ReadableStream<Uint8Array>({
        start: (controller) => {
          streams.add(controller);
          for (const message of canned.rowsOf?.(query.getAll("in")) ?? canned.rows) controller.enqueue(lineOf(message));
        },
        cancel: () => {},
      }),
    );
  const server = serve(async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (isAway) return new Response("", { status: 503 });
    if (pathname === "/api/rows") return rows(searchParams);
    if (pathname === "/api/logs") {
      const messages = (searchParams.has("tail") ? undefined : canned.logsNow?.()) ?? canned.logs ?? [];
      return new Response(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
    }
    if (pathname.startsWith("/api/actions/")) {
      const done = canned.done?.(pathname.slice("/api/actions/".length), await request.json());
      return done ? Response.json(done) : notFound();
    }
    if (pathname === "/api/login") {
      canned.logIn?.((await request.json()).code);
      return Response.json({});
    }
    if (pathname.startsWith("/api/")) return answer(canned, pathname, searchParams);
    const file = (await (page ??= loadPage()))[pathname];
    if (!file) return new Response("", { status: 404 });
    return new Response(file.text, { headers: { ...SECURITY_HEADERS, "content-type": file.type } });
  });
  const drop = () => {
    for (const stream of streams) stream.close();
    streams.clear();
  };
  return {
    url: `${server.url}/`,
    drop,
    tell: (message) => {
      for (const stream of streams) stream.enqueue(lineOf(message));
    },
    goAway: () => {
      isAway = true;
      drop();
    },
    [Symbol.asyncDispose]: async () => {
      for (const stream of streams) {
        try {
          stream.close();
        } catch {
          // Its page has left already.
        }
      }
      await server[Symbol.asyncDispose]();
    },
  };
}

function answer(canned: Canned, path: string, query: URLSearchParams): Response {
  const session = canned.sessionNow?.() ?? canned.session;
  const answers: Record<string, () => unknown> = {
    "/api/session": () => session,
    "/api/rights": () => canned.rights ?? { actions: {}, mayReadLogs: false },
    "/api/cronjob": () => canned.detail?.(query.get("name") ?? ""),
    "/api/timeline": () => canned.timeline?.(query.getAll("id"), Number(query.get("from")), Number(query.get("to"))),
    "/api/calendar": () =>
      canned.calendar?.(query.get("name") ?? "", Number(query.get("from")), Number(query.get("to"))),
    "/api/load": () => canned.loadOf?.(query.getAll("in")) ?? canned.load,
    "/api/run": () => canned.askedRun,
    "/api/explain": () => canned.explained?.(query.get("name") ?? ""),
  };
  const found = answers[path]?.();
  if (found === undefined) return notFound();
  return Response.json(found, { status: path === "/api/session" && !session.isLoggedIn ? 401 : 200 });
}

function notFound(): Response {
  return Response.json({ reason: "NotFound", message: "There is no such thing" }, { status: 404 });
}

function lineOf(message: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(message)}\n`);
}
