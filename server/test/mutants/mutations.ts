/**
 * The small faults that can be put into a source text: one operator, condition, value or call at a
 * time. A table by the kind of syntax they change; what is read by no client (the texts of internal
 * errors and log lines) and what the compiler alone reads (types, imports) is left as it is.
 */
import { parseAst } from 'vite';

export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** A node of the syntax tree: ESTree, whose fields depend on the type. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  // biome-ignore lint/suspicious/noExplicitAny: the fields of every kind of node
  readonly [field: string]: any;
}

type Mutator = (node: Node, source: string) => readonly Mutation[];

const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '**': '*',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
  '&': '|',
  '|': '&',
  '^': '&',
  '+=': '-=',
  '-=': '+=',
  '*=': '/=',
  '/=': '*=',
  '??=': '=',
  '++': '--',
  '--': '++',
};

const METHODS: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
  indexOf: 'lastIndexOf',
  lastIndexOf: 'indexOf',
  find: 'findLast',
  findLast: 'find',
  push: 'unshift',
};

/** Calls of these are replaced by what they are called on. */
const DROPPED_METHODS = new Set(['filter', 'sort', 'toSorted', 'reverse', 'slice', 'trim', 'abs']);

const UNREAD_CALLS = /^(new (Range|Type)?Error|(this\.)?#?log(ger)?\b|.*\.log\.)/;

const replaced = (node: Node, replacement: string): Mutation => ({
  start: node.start,
  end: node.end,
  replacement,
});

const isText = (node: Node): boolean =>
  node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');

/** The operator alone, which stands behind `from`. */
function otherOperator(operator: string, from: number, source: string): Mutation[] {
  const replacement = OPERATORS[operator];
  const start = source.indexOf(operator, from);
  return replacement === undefined ? [] : [{ start, end: start + operator.length, replacement }];
}

const alwaysAndNever = ({ test }: Node): Mutation[] =>
  test === null ? [] : [replaced(test, 'true'), replaced(test, 'false')];

/** Without one of the elements, and the comma behind or before it. */
function withoutEach(elements: readonly (Node | null)[]): Mutation[] {
  return elements.flatMap((element, index) => {
    if (element === null) return [];
    const next = elements[index + 1];
    const previous = elements[index - 1];
    if (next) return [{ start: element.start, end: next.start, replacement: '' }];
    return [{ start: previous?.end ?? element.start, end: element.end, replacement: '' }];
  });
}

function literalMutations(node: Node): Mutation[] {
  if (node.regex) {
    const { pattern, flags } = node.regex;
    const open = pattern.replace(/^\^/, '').replace(/(?<!\\)\$$/, '');
    return open === pattern ? [] : [replaced(node, `/${open}/${flags}`)];
  }
  if (node.bigint !== undefined) return [replaced(node, `${BigInt(node.bigint) + 1n}n`)];
  if (typeof node.value === 'number') return [replaced(node, String(node.value + 1))];
  if (typeof node.value === 'boolean') return [replaced(node, String(!node.value))];
  if (typeof node.value === 'string')
    return [replaced(node, node.value === '' ? "'mutant'" : "''")];
  return [];
}

function callMutations({ callee, start, end }: Node, source: string): Mutation[] {
  if (callee.type !== 'MemberExpression' || callee.computed) return [];
  const { object, property } = callee;
  if (Object.hasOwn(METHODS, property.name)) {
    return [replaced(property, METHODS[property.name] as string)];
  }
  if (!DROPPED_METHODS.has(property.name) || object.name === 'Math') return [];
  return [{ start, end, replacement: source.slice(object.start, object.end) }];
}

/** A statement that does something and gives nothing is left out. */
function statementMutations(node: Node): Mutation[] {
  const { expression } = node;
  const isCall = ['CallExpression', 'AwaitExpression', 'AssignmentExpression'].includes(
    expression.type,
  );
  return isCall && !expression.callee?.type.startsWith('Super') ? [replaced(node, ';')] : [];
}

const MUTATORS: Readonly<Record<string, Mutator>> = {
  ArrayExpression: ({ elements }) => withoutEach(elements),
  AssignmentExpression: ({ operator, left }, source) => otherOperator(operator, left.end, source),
  BinaryExpression: ({ operator, left, right }, source) =>
    operator === '+' && (isText(left) || isText(right))
      ? []
      : otherOperator(operator, left.end, source),
  CallExpression: callMutations,
  ConditionalExpression: alwaysAndNever,
  ExpressionStatement: statementMutations,
  ForStatement: ({ test }) => (test ? [replaced(test, 'false')] : []),
  IfStatement: alwaysAndNever,
  Literal: literalMutations,
  LogicalExpression: (node, source) =>
    [node.left, node.right].map((side: Node) => replaced(node, source.slice(side.start, side.end))),
  MemberExpression: ({ optional, object, property, computed }) =>
    optional ? [{ start: object.end, end: property.start, replacement: computed ? '[' : '.' }] : [],
  TemplateLiteral: ({ expressions }, source) =>
    expressions.map((expression: Node) => ({
      start: source.lastIndexOf('${', expression.start),
      end: source.indexOf('}', expression.end) + 1,
      replacement: '',
    })),
  UnaryExpression: (node, source) =>
    ['!', '-', '~'].includes(node.operator)
      ? [replaced(node, source.slice(node.argument.start, node.argument.end))]
      : [],
  UpdateExpression: ({ operator, start, end, prefix, argument }) => {
    const at = prefix ? start : argument.end;
    const replacement = OPERATORS[operator] as string;
    return [{ start: at, end: prefix ? argument.start : end, replacement }];
  },
  WhileStatement: ({ test }) => [replaced(test, 'false')],
};

const COMPILER_ONLY = /^(TS(?!AsExpression|NonNullExpression|SatisfiesExpression)|Import)/;

/** The nodes below a node that may be changed. */
function childrenOf(node: Node, source: string): Node[] {
  if (node.type === 'Property' && !node.computed) return [node.value];
  if (/^Export(All|Named)/.test(node.type) && !node.declaration) return [];
  if (node.type === 'CallExpression' || node.type === 'NewExpression') {
    if (UNREAD_CALLS.test(source.slice(node.start, node.end))) return [];
  }
  return Object.values(node)
    .flat()
    .filter((value): value is Node => typeof value?.type === 'string');
}

/** Every mutation of a TypeScript source, in its order. */
export function mutationsOf(source: string): Mutation[] {
  const found: Mutation[] = [];
  const visit = (node: Node): void => {
    if (COMPILER_ONLY.test(node.type)) return;
    found.push(...(MUTATORS[node.type]?.(node, source) ?? []));
    for (const child of childrenOf(node, source)) visit(child);
  };
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node);
  return found.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

export function applied(source: string, { start, end, replacement }: Mutation): string {
  return source.slice(0, start) + replacement + source.slice(end);
}
