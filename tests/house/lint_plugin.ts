import { wordsIn } from "./words.ts";

/** House rules that a linter can see. They hold in `src`, but for what a browser runs. */
const plugin: Deno.lint.Plugin = {
  name: "house",
  rules: {
    "returns": {
      create: (context) =>
        inSource(context, {
          FunctionDeclaration(node) {
            const declaration = node.parent.type === "ExportNamedDeclaration" ? node.parent : node;
            const docstring = docstringOf(context, declaration);
            if (docstring === undefined || !/^\*[\s*]*(?:Whether|Why)\b/.test(docstring.value)) return;
            context.report({
              range: docstring.range,
              message: "The docstring of a function does not begin with its verb",
              hint: "Write: Returns whether",
            });
          },
        }),
    },
    "docstring": {
      create: (context) =>
        inSource(context, {
          ExportNamedDeclaration(node) {
            const { declaration } = node;
            if (declaration?.type !== "FunctionDeclaration" && declaration?.type !== "ClassDeclaration") return;
            if (docstringOf(context, node)) return;
            context.report({
              node: declaration.id ?? node,
              message: "An exported function or class has no docstring",
              hint: "Say what it promises, and what can surprise",
            });
          },
        }),
    },
    "error-grammar": {
      create: (context) =>
        inSource(context, {
          NewExpression({ callee, arguments: [message] }) {
            // What people asked for by a command is answered in sentences of its own.
            if (/\/src\/(?:cli|actions)\//.test(context.filename)) return;
            if (callee.type !== "Identifier" || !ERRORS.test(callee.name) || !message) return;
            const start = startOf(message);
            // A reason in small letters completes the sentence of the code that catches it.
            if (start === undefined || !/^[A-Z]/.test(start) || start.startsWith("Cannot ")) return;
            context.report({
              node: message,
              message: "The message of an error does not begin with 'Cannot'",
              hint: "Say what could not be done, why, and the value: `Cannot read the file x: it is empty`",
            });
          },
        }),
    },
    "clock": {
      create: (context) =>
        context.filename.endsWith("/src/base/clock.ts") ? {} : inSource(context, {
          CallExpression(node) {
            if (TIMERS.test(context.sourceCode.getText(node.callee))) context.report({ node, ...NO_CLOCK });
          },
          NewExpression(node) {
            if (context.sourceCode.getText(node) === "new Date()") context.report({ node, ...NO_CLOCK });
          },
        }),
    },
    "public-api": {
      create: (context) =>
        !/\/src\//.test(context.filename) ? {} : {
          Identifier(node) {
            if (node.name !== "Deno" || isPublicUse(node)) return;
            context.report({
              node,
              message: "Only what Deno documents is used, by its name",
              hint: "Write Deno.NAME: what a version keeps to itself, the next one may lack",
            });
          },
        },
    },
    "alone": {
      create: (context) =>
        !/\/tests\/.*_test\.ts$/.test(context.filename) ? {} : {
          CallExpression(node) {
            const { sourceCode } = context;
            if (!OF_THE_PROCESS.test(sourceCode.getText(node.callee))) return;
            const isAlone = sourceCode.getAncestors(node).some((ancestor) =>
              ancestor.type === "CallExpression" && sourceCode.getText(ancestor.callee) === "testAlone"
            );
            if (!isAlone) context.report({ node, ...NOT_ALONE });
          },
        },
    },
    "words": {
      create(context) {
        const { sourceCode } = context;
        const look = ([start]: Deno.lint.Range, text: string) => {
          for (const { word, instead, at } of wordsIn(text)) {
            context.report({
              range: [start + at, start + at + word.length],
              message: `The word "${word}" is not one that we write`,
              hint: `Write ${instead}`,
            });
          }
        };
        if (/\/tests\//.test(context.filename)) {
          return {
            Program() {
              for (const { range, value } of sourceCode.getAllComments()) look(range, `//${value}`);
            },
            CallExpression({ callee, arguments: [name] }) {
              if (name && /^(?:test|\w+\.step)$/.test(sourceCode.getText(callee))) {
                look(name.range, sourceCode.getText(name));
              }
            },
          };
        }
        if (!/\/(?:src|deploy|docs\/generate)\//.test(context.filename)) return {};
        return {
          Program() {
            for (const { range, value } of sourceCode.getAllComments()) look(range, `//${value}`);
          },
          Literal(node) {
            if (typeof node.value === "string") look(node.range, sourceCode.getText(node));
          },
          TemplateElement(node) {
            look(node.range, sourceCode.getText(node));
          },
        };
      },
    },
  },
};

export default plugin;

/** Errors whose message is ours alone: an ApiError says it in Kubernetes' words. */
const ERRORS = /^(?:Error|RangeError|TypeError|UnreachableError|LeadershipLostError)$/;
const TIMERS = /^(?:(?:globalThis\.)?set(?:Timeout|Interval)|Date\.now|performance\.now)$/;
const NO_CLOCK = {
  message: "Only src/base/clock.ts reads the clock and sets timers",
  hint: "Take a Clock: tests then need not wait",
};

const OF_THE_PROCESS = /^Deno\.(?:env\.(?:set|delete)|umask|chdir)$/;
const NOT_ALONE = {
  message: "A test changes what belongs to the whole process, while others run in it",
  hint: "Declare it by testAlone(): it then has a process of its own",
};

function inSource(context: Deno.lint.RuleContext, visitor: Deno.lint.LintVisitor): Deno.lint.LintVisitor {
  return /\/src\/(?!dashboard\/page\/)/.test(context.filename) ? visitor : {};
}

/** Returns whether it names a member of `Deno`, or a type, and none that Deno keeps to itself. */
function isPublicUse({ parent }: Deno.lint.Identifier): boolean {
  if (parent.type === "TSQualifiedName") return true;
  if (parent.type !== "MemberExpression" || parent.computed || parent.object.type !== "Identifier") return false;
  return parent.object.name === "Deno" && parent.property.type === "Identifier" && parent.property.name !== "internal";
}

/** Returns how a message begins, where the code says so. */
function startOf(message: Deno.lint.Node): string | undefined {
  if (message.type === "Literal") return typeof message.value === "string" ? message.value : undefined;
  return message.type === "TemplateLiteral" ? message.quasis[0]?.cooked : undefined;
}

/** Returns the docstring that stands right above, but for a note to the linter. */
function docstringOf({ sourceCode }: Deno.lint.RuleContext, node: Deno.lint.Node): Deno.lint.BlockComment | undefined {
  return sourceCode.getCommentsBefore(node).filter((comment) => comment.type === "Block").find(({ value, range }) =>
    value.startsWith("*") && /^(?:\s|\/\/.*)*$/.test(sourceCode.text.slice(range[1], node.range[0]))
  );
}
