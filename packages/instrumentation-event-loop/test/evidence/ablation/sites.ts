import { parseAst } from 'rolldown/parseAst';

/**
 * A place of the judgement that the ablation changes:
 * - a number: it is halved and doubled;
 * - a rule: an `if`, a choice or a part of a condition, which is left out.
 */
export interface Site {
  readonly id: number;
  readonly kind: 'number' | 'rule';
  /** Below src/. */
  readonly file: string;
  readonly functionName: string;
  /** The constant's name, or the text of the place. */
  readonly text: string;
  /** Of a number. */
  readonly value?: number;
  /** Of a rule: its outcome where it is left out. */
  readonly without?: boolean;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Edit {
  readonly at: number;
  readonly text: string;
  /** Of edits at one place, an outer one opens first and closes last. */
  readonly order: number;
}

/** The comment that the bundler writes before each source. */
const SOURCE = /^\/\/ (\S+\.m?[jt]s)$/gm;

/** Returns the module with a switch at each site, and the sites. */
export function withSites(source: string): { readonly code: string; readonly sites: readonly Site[] } {
  const starts = [...source.matchAll(SOURCE)].map((match) => ({ file: match[1]!, start: match.index }));
  const fileAt = (at: number): string | undefined => {
    const file = starts.findLast(({ start }) => start <= at)?.file;
    return file === undefined ? undefined : /src\/(blocks\/.+)$/.exec(file)?.[1];
  };
  const program = parseAst(source) as unknown as Node;
  const sites: Site[] = [];
  const edits: Edit[] = [];
  const add = (node: Node, site: Omit<Site, 'id'>): void => {
    const id = sites.push({ id: sites.length, ...site }) - 1;
    wrap(node, id, site.kind, edits);
  };
  const constants = constantsOf(program, fileAt);
  const constantSites = new Map<string, number>();
  for (const [name, { file, value }] of constants) {
    const id = sites.push({ id: sites.length, kind: 'number', file, functionName: '', text: name, value }) - 1;
    constantSites.set(name, id);
  }
  walk(program, [], (node, parents) => {
    const constant = node.type === 'Identifier' ? constantSites.get(node.name as string) : undefined;
    if (constant !== undefined && isReference(node, parents)) wrap(node, constant, 'number', edits);
    const file = fileAt(node.start);
    // The bundler numbers functions of one name.
    const functionName = nameOfFunction(parents)?.replace(/\$\d+$/, '');
    if (file === undefined || functionName === undefined) return;
    const text = source.slice(node.start, node.end).replaceAll(/\s+/g, ' ').slice(0, 90);
    if (isNumber(node, parents)) {
      const whole = parents.at(-1)!;
      const around = source.slice(whole.start, whole.end).replaceAll(/\s+/g, ' ').slice(0, 60);
      add(node, { kind: 'number', file, functionName, text: around, value: node.value as number });
    }
    const without = withoutOf(node, parents);
    if (without !== undefined) add(node, { kind: 'rule', file, functionName, text, without });
  });
  return { code: RUNTIME + applied(source, edits), sites };
}

/**
 * The switch: `active` is the site that is changed, `factor` how; `seen` holds the sites whose change could matter. A
 * loop that a change makes endless is ended after so many steps.
 */
const RUNTIME = `export const ablation = { active: -1, factor: 1, steps: 0, seen: new Set() };
function __step() {
  if (++ablation.steps > 2e7) throw new Error('endless');
}
function __number(id, value) {
  __step();
  ablation.seen.add(id);
  return ablation.active === id ? value * ablation.factor : value;
}
function __rule(id, value, without) {
  __step();
  if (Boolean(value) !== without) ablation.seen.add(id);
  return ablation.active === id ? without : value;
}
`;

function wrap(node: Node, id: number, kind: Site['kind'], edits: Edit[]): void {
  const length = node.end - node.start;
  edits.push({ at: node.start, text: kind === 'number' ? `__number(${id}, ` : `__rule(${id}, (`, order: -length });
  edits.push({ at: node.end, text: kind === 'number' ? ')' : `), __without[${id}])`, order: length });
}

function applied(source: string, edits: readonly Edit[]): string {
  // Where one place ends and another begins, the end comes first.
  const sorted = [...edits].sort(
    (a, b) => a.at - b.at || Number(b.order > 0) - Number(a.order > 0) || a.order - b.order,
  );
  let code = '';
  let at = 0;
  for (const edit of sorted) {
    code += source.slice(at, edit.at) + edit.text;
    at = edit.at;
  }
  return code + source.slice(at);
}

/** Numbers that have a name: constants at the top of a module of the judgement. */
function constantsOf(
  program: Node,
  fileAt: (at: number) => string | undefined,
): Map<string, { readonly file: string; readonly value: number }> {
  const constants = new Map<string, { file: string; value: number }>();
  for (const statement of program.body as Node[]) {
    const file = fileAt(statement.start);
    if (statement.type !== 'VariableDeclaration' || file === undefined) continue;
    for (const { id, init } of statement.declarations as { id: Node; init: Node | null }[]) {
      const value = init === null ? undefined : valueOf(init, constants);
      if (value !== undefined && value !== 0) constants.set(id.name as string, { file, value });
    }
  }
  return constants;
}

function valueOf(node: Node, known: ReadonlyMap<string, { readonly value: number }>): number | undefined {
  if (node.type === 'Literal') return typeof node.value === 'number' ? node.value : undefined;
  if (node.type === 'Identifier') return known.get(node.name as string)?.value;
  if (node.type !== 'BinaryExpression') return undefined;
  const [left, right] = [valueOf(node.left as Node, known), valueOf(node.right as Node, known)];
  if (left === undefined || right === undefined) return undefined;
  return node.operator === '/' ? left / right : node.operator === '*' ? left * right : undefined;
}

function isReference(node: Node, parents: readonly Node[]): boolean {
  const parent = parents.at(-1)!;
  if (parent.type === 'VariableDeclarator' && parent.id === node) return false;
  if (parent.type === 'ExportSpecifier' || parent.type === 'ImportSpecifier') return false;
  if (parent.type === 'MemberExpression') return parent.object === node || parent.computed === true;
  return !(parent.type === 'Property' && parent.key === node);
}

/** A number within a function; 0 and 1 are no measure, and an index is a place. */
function isNumber(node: Node, parents: readonly Node[]): boolean {
  if (node.type !== 'Literal' || typeof node.value !== 'number' || node.value === 0 || node.value === 1) return false;
  const parent = parents.at(-1)!;
  return !(parent.type === 'MemberExpression' && parent.property === node);
}

/** The outcome of a condition where its rule is left out; undefined for other places. */
function withoutOf(node: Node, parents: readonly Node[]): boolean | undefined {
  const parent = parents.at(-1);
  if (parent === undefined) return undefined;
  if ((parent.type === 'IfStatement' || parent.type === 'ConditionalExpression') && parent.test === node) {
    return false;
  }
  if (parent.type !== 'LogicalExpression' || parent.operator === '??') return undefined;
  // One of several rules, each of which has parts, is a rule as a whole, too.
  if (node.type === 'LogicalExpression') return parent.operator === '||' && node.operator === '&&' ? false : undefined;
  if (!isCondition(node)) return undefined;
  return parent.operator === '&&';
}

/** Whether the expression is a truth value, as far as its form shows it. */
function isCondition(node: Node): boolean {
  if (node.type === 'UnaryExpression') return node.operator === '!';
  if (node.type === 'BinaryExpression') return /[<>=]/.test(node.operator as string);
  if (node.type === 'Identifier') return /^(is|has|was|may|sleeps|shows)/.test(node.name as string);
  if (node.type !== 'CallExpression') return false;
  const callee = node.callee as Node;
  const name = callee.type === 'MemberExpression' ? (callee.property as Node).name : callee.name;
  return /^(is|has|was|may|stands|shows|some|every|includes|startsWith|endsWith)/.test(String(name));
}

function nameOfFunction(parents: readonly Node[]): string | undefined {
  for (const [i, node] of [...parents.entries()].reverse()) {
    if (node.type === 'FunctionDeclaration') return (node.id as Node).name as string;
    if (node.type === 'MethodDefinition') return String((node.key as Node).name);
    const isArrow = node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression';
    const parent = parents[i - 1];
    if (isArrow && parent?.type === 'VariableDeclarator') return (parent.id as Node).name as string;
  }
  return undefined;
}

function walk(node: Node, parents: readonly Node[], visit: (node: Node, parents: readonly Node[]) => void): void {
  visit(node, parents);
  const inner = [...parents, node];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child !== null && typeof child === 'object' && 'type' in child) walk(child as Node, inner, visit);
    }
  }
}
