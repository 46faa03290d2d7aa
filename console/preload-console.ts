/**
 * Names in the console's document the files of what its first script imports later, so that
 * browsers load them at once.
 */
import type { Plugin, Rolldown } from 'vite';

/** The file of a chunk, and those that it cannot begin without. */
function filesOf(first: Rolldown.OutputChunk, bundle: Rolldown.OutputBundle): ReadonlySet<string> {
  const files = new Set([first.fileName]);
  for (const name of files) {
    const chunk = bundle[name];
    for (const next of chunk?.type === 'chunk' ? chunk.imports : []) files.add(next);
  }
  return files;
}

/** `module`: the path of what is imported later. */
export function preloadConsole(module: string): Plugin {
  let base = '/';
  return {
    name: 'preload-console',
    apply: 'build',
    configResolved: (config) => {
      base = config.base;
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {}, chunk }) => {
        const later = Object.values(bundle).find(
          (output) => output.type === 'chunk' && output.facadeModuleId === module,
        );
        if (later?.type !== 'chunk' || !chunk?.dynamicImports.includes(later.fileName)) return [];
        return [...filesOf(later, bundle)]
          .filter((file) => file !== chunk.fileName && !chunk.imports.includes(file))
          .map((file) => ({
            tag: 'link',
            injectTo: 'head',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `${base}${file}` },
          }));
      },
    },
  };
}
