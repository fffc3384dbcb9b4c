import { argumentsOf, child, children, literal, type Node, nameOf } from './ast.ts';

/** A reference to a module as it is written. */
export interface ImportForm {
  /** What is named; undefined where it is computed and can't be read. */
  readonly specifier: string | undefined;
  /** Erased before the program runs. */
  readonly typeOnly: boolean;
  /** The names taken, by the names they are exported under; `*` for all of them. */
  readonly names: readonly string[];
}

/** The reference a node makes: static, dynamic, re-exported, type, `require`, `import.meta.resolve` or a worker's file. */
export function importIn(node: Node): ImportForm | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
      return declared(node);
    case 'ExportNamedDeclaration':
      return child(node, 'source') === undefined ? undefined : declared(node);
    case 'ExportAllDeclaration':
      return { specifier: literal(child(node, 'source')), typeOnly: node['typeOnly'] === true, names: ['*'] };
    case 'TsImportType':
      return { specifier: literal(child(node, 'argument')), typeOnly: true, names: ['*'] };
    case 'TsExternalModuleReference':
      return all(literal(child(node, 'expression')));
    case 'NewExpression':
      return siblingModule(node);
    case 'CallExpression':
      return called(node);
    default:
      return undefined;
  }
}

const all = (specifier: string | undefined): ImportForm => ({ specifier, typeOnly: false, names: ['*'] });

function declared(node: Node): ImportForm {
  const specifiers = children(node, 'specifiers');
  const everyIsType = specifiers.length > 0 && specifiers.every((one) => one['isTypeOnly'] === true);
  return {
    specifier: literal(child(node, 'source')),
    typeOnly: node['typeOnly'] === true || everyIsType,
    names: specifiers.filter((one) => one['isTypeOnly'] !== true).map(takenName),
  };
}

function takenName(specifier: Node): string {
  switch (specifier.type) {
    case 'ImportSpecifier':
      return nameOf(child(specifier, 'imported') ?? child(specifier, 'local'));
    case 'ExportSpecifier':
      return nameOf(child(specifier, 'orig'));
    case 'ImportDefaultSpecifier':
      return 'default';
    default:
      return '*';
  }
}

/** `import(…)`, `require(…)`, `createRequire(…)(…)`, `createRequire(…).resolve(…)`, `import.meta.resolve(…)`. */
function called(node: Node): ImportForm | undefined {
  const callee = child(node, 'callee');
  if (callee === undefined) return undefined;
  const [first] = argumentsOf(node);
  if (callee.type === 'Import' || isRequire(callee)) return all(literal(first));
  if (callee.type !== 'MemberExpression') return undefined;
  const owner = child(callee, 'object');
  const method = nameOf(child(callee, 'property', 'Identifier'));
  if (method === 'getBuiltinModule') return all(literal(first));
  const resolves = owner !== undefined && (isRequire(owner) || owner.type === 'MetaProperty');
  return method === 'resolve' && resolves ? all(literal(first)) : undefined;
}

const isRequire = (node: Node): boolean =>
  nameOf(node) === 'require' || (node.type === 'CallExpression' && nameOf(child(node, 'callee')) === 'createRequire');

/** `new URL('./worker.ts', import.meta.url)`: a module in a path relative to this one. */
function siblingModule(node: Node): ImportForm | undefined {
  const [path, base] = argumentsOf(node);
  const text = literal(path);
  if (nameOf(child(node, 'callee')) !== 'URL' || base?.type !== 'MemberExpression') return undefined;
  return text !== undefined && /^\.{1,2}\/.*\.[cm]?[jt]s$/.test(text) ? all(text) : undefined;
}
