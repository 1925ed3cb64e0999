import type { Plugin } from 'vite';

const contract = /[\\/]contract[\\/].*\.ts$/;

/** The build may leave out their modules when nothing of them is used. */
const schemaModules = { test: /[\\/](contract|typebox)[\\/]/, sideEffects: false };

/** What builds a schema: TypeBox, and the functions of the contract around it. */
const buildsSchema = /\b(?:Type\.|nullable\(|pageOf\(|oneLine\(|strictObject\(|payloadOf\()|\.properties\b/;

/**
 * Lets the build drop the schemas of the contract, and TypeBox with them. The app uses only the types, constants and
 * functions beside them, but the build must keep a call that may have an effect.
 */
export function dropSchemas(): Plugin {
  return {
    name: 'drop-schemas',
    apply: 'build',
    config: () => ({ build: { rolldownOptions: { treeshake: { moduleSideEffects: [schemaModules] } } } }),
    transform: {
      filter: { id: contract },
      handler(code) {
        let marked = code;
        const inits = this.parse(code)
          .body.map((statement) =>
            statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement,
          )
          .flatMap((statement) => (statement?.type === 'VariableDeclaration' ? statement.declarations : []))
          .flatMap(({ init }) => (init ? [init] : []));
        for (const { start, end } of inits.toReversed()) {
          const text = code.slice(start, end);
          if (!buildsSchema.test(text)) continue;
          marked = `${marked.slice(0, start)}/* @__PURE__ */ (() => (${text}))()${marked.slice(end)}`;
        }
        return { code: marked, map: null };
      },
    },
  };
}
