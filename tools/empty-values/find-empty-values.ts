import { relative } from 'node:path';
import { type BinaryExpression, type Node, type ObjectLiteralExpression, SyntaxKind } from 'typescript/unstable/ast';
import {
  isBinaryExpression,
  isBindingElement,
  isConditionalExpression,
  isIdentifier,
  isIfStatement,
  isNumericLiteral,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isStringLiteral,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is';
import { API, type Checker, type Project, SymbolFlags, type Symbol as TypeSymbol } from 'typescript/unstable/sync';

export interface EmptyValue {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

/** An operand that is treated as if its empty value meant something, and how. */
interface Candidate {
  readonly operand: Node;
  readonly how: string;
  /** It is compared with ''. */
  readonly isText: boolean;
}

const EQUALITY: readonly SyntaxKind[] = [SyntaxKind.EqualsEqualsEqualsToken, SyntaxKind.ExclamationEqualsEqualsToken];
/** Operators whose value may be the right operand. */
const VALUE_OF_RIGHT: readonly SyntaxKind[] = [SyntaxKind.QuestionQuestionToken, SyntaxKind.BarBarToken];
const LOGICAL: readonly SyntaxKind[] = [SyntaxKind.AmpersandAmpersandToken, SyntaxKind.BarBarToken];

/**
 * Finds code that treats the empty value of an optional field of a message as its absence: comparisons with '' or 0, `?? ''`, uses as a
 * condition, and '' or 0 that is written to it. The field is absent where there is no value, so that such code takes the wrong branch, and the
 * compiler accepts it. Values under a name of their own are found where they may be undefined and are compared with ''; fields of other types of
 * the project where they may be undefined and '' is written to them.
 * A field whose comment says what "Absent" and what "Empty" (or 0) mean has both values and is not examined.
 * @param contracts part of the path of the files that declare messages
 */
export function findEmptyValues(root: string, config: string, contracts: string): readonly EmptyValue[] {
  using api = openApi(root);
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  if (project === undefined) throw new Error(`${config} is no TypeScript project`);
  const files = project.rootFiles.filter((file) => !file.includes(contracts));
  if (files.length === 0) throw new Error(`${config} has no files: nothing was checked`);
  return files.flatMap((file) => inFile({ root, file, project, contracts }));
}

const openApi = (root: string): API & Disposable => {
  const api = new API({ cwd: root });
  return Object.assign(api, { [Symbol.dispose]: () => api.close() });
};

interface FileToRead {
  readonly root: string;
  readonly file: string;
  readonly project: Project;
  readonly contracts: string;
}

function inFile({ root, file, project, contracts }: FileToRead): EmptyValue[] {
  const source = project.program.getSourceFile(file);
  if (source === undefined) return [];
  const candidates = candidatesIn(source);
  const lineOf = (node: Node): number => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const written = emptyValuesWrittenIn(source).flatMap(({ name, object, isText }): EmptyValue[] => {
    const made = project.checker.getContextualType(object);
    const field = made && project.checker.getPropertyOfType(made, name);
    const isField = isOptionalField(project.checker, field, contracts);
    if (!isField && !(isText && isOptionalText(project.checker, field, root))) return [];
    const what = `writes an empty value to ${name}, an optional field`;
    return [{ path: relative(root, file), line: lineOf(object), what }];
  });
  const names = candidates.map(({ operand }) => (isPropertyAccessExpression(operand) ? operand.name : operand));
  const symbols = names.length === 0 ? [] : project.checker.getSymbolAtLocation(names);
  const read = candidates.flatMap(({ operand, how, isText }, at): EmptyValue[] => {
    const symbol = symbols[at];
    if (symbol === undefined) return [];
    const isField = isOptionalField(project.checker, fieldOf(project.checker, symbol), contracts);
    if (!isField && !(isText && mayBeAbsent(project.checker, operand))) return [];
    const what = `${how} ${operand.getText(source)}, which may be undefined`;
    return [{ path: relative(root, file), line: lineOf(operand), what }];
  });
  return [...read, ...written];
}

/** An empty value of a property of an object literal. */
interface WrittenValue {
  readonly name: string;
  readonly object: ObjectLiteralExpression;
  /** It is `''` in every case. */
  readonly isText: boolean;
}

/** Returns the properties of object literals whose value is '' or 0 in some cases: `''`, `x ?? ''`, `isSet ? x : 0`. */
function emptyValuesWrittenIn(source: Node): WrittenValue[] {
  const found: WrittenValue[] = [];
  const visit = (node: Node): void => {
    if (isObjectLiteralExpression(node))
      for (const property of node.properties)
        if (isPropertyAssignment(property) && isIdentifier(property.name) && maybeEmpty(property.initializer))
          found.push({ name: property.name.text, object: node, isText: isEmptyText(property.initializer) });
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

function maybeEmpty(value: Node): boolean {
  if (isParenthesizedExpression(value)) return maybeEmpty(value.expression);
  if (isConditionalExpression(value)) return maybeEmpty(value.whenTrue) || maybeEmpty(value.whenFalse);
  if (isBinaryExpression(value)) return VALUE_OF_RIGHT.includes(value.operatorToken.kind) && maybeEmpty(value.right);
  return isEmptyLiteral(value);
}

function candidatesIn(source: Node): Candidate[] {
  const found: Candidate[] = [];
  const visit = (node: Node): void => {
    for (const { operand: given, ...how } of operandsOf(node)) {
      const operand = isParenthesizedExpression(given) ? given.expression : given;
      if (isPropertyAccessExpression(operand) || isIdentifier(operand)) found.push({ operand, ...how });
    }
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

const condition = (operand: Node): Candidate => ({ operand, how: 'uses as a condition', isText: false });

/** Returns the operands of one node that it treats as values which may be empty. */
function operandsOf(node: Node): Candidate[] {
  if (isBinaryExpression(node)) return operandsOfBinary(node);
  if (isConditionalExpression(node)) return [condition(node.condition)];
  if (isIfStatement(node)) return [condition(node.expression)];
  const isNegation = isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken;
  return isNegation ? [condition(node.operand)] : [];
}

function operandsOfBinary({ left: operand, right, operatorToken: { kind } }: BinaryExpression): Candidate[] {
  if (LOGICAL.includes(kind)) return [condition(operand)];
  if (kind === SyntaxKind.QuestionQuestionToken && isEmptyText(right))
    return [{ operand, how: "replaces by ''", isText: false }];
  if (EQUALITY.includes(kind) && isEmptyLiteral(right))
    return [{ operand, how: 'compares with an empty value', isText: isEmptyText(right) }];
  return [];
}

const isEmptyText = (node: Node): boolean => isStringLiteral(node) && node.text === '';
const isEmptyLiteral = (node: Node): boolean => isEmptyText(node) || (isNumericLiteral(node) && node.text === '0');

/** Returns the property that a name stands for: itself, or the one that a variable was destructured or copied from. */
function fieldOf(checker: Checker, symbol: TypeSymbol): TypeSymbol | undefined {
  if ((symbol.flags & SymbolFlags.Property) !== 0) return symbol;
  const declaration = symbol.valueDeclaration?.resolve();
  if (declaration === undefined) return undefined;
  if (isBindingElement(declaration) && declaration.dotDotDotToken === undefined) {
    const name = declaration.propertyName ?? declaration.name;
    const from = checker.getTypeAtLocation(declaration.parent);
    return from === undefined || name === undefined || !isIdentifier(name)
      ? undefined
      : checker.getPropertyOfType(from, name.text);
  }
  const copied = isVariableDeclaration(declaration) ? declaration.initializer : undefined;
  return copied !== undefined && isPropertyAccessExpression(copied)
    ? checker.getSymbolAtLocation(copied.name)
    : undefined;
}

const OPTIONAL_VALUE = /^(string|number|undefined)( \| (string|number|undefined))*$/;

/** Whether a variable or a property is undefined in some cases where it is used. Elements of optional objects are not examined. */
function mayBeAbsent(checker: Checker, operand: Node): boolean {
  if (isPropertyAccessExpression(operand) && operand.questionDotToken !== undefined) return false;
  const type = checker.getTypeAtLocation(operand);
  return (
    type !== undefined &&
    /\bundefined\b/.test(checker.typeToString(type)) &&
    checker.typeToString(type).includes('string')
  );
}

/** Whether a field of a type of the project is a text that may be undefined: '' is then no value of its own. */
function isOptionalText(checker: Checker, field: TypeSymbol | undefined, root: string): boolean {
  if (field === undefined || !field.declarations.every(({ path }) => isOwn(path, root))) return false;
  const type = checker.getTypeOfSymbol(field);
  return type !== undefined && /^string \| undefined$|^undefined \| string$/.test(checker.typeToString(type));
}

const isOwn = (path: string, root: string): boolean => path.startsWith(root) && !path.includes('/node_modules/');

function isOptionalField(checker: Checker, field: TypeSymbol | undefined, contracts: string): boolean {
  if (field === undefined || (field.flags & SymbolFlags.Optional) === 0) return false;
  if (!field.declarations.some(({ path }) => path.includes(contracts))) return false;
  const type = checker.getTypeOfSymbol(field);
  if (type === undefined || !OPTIONAL_VALUE.test(checker.typeToString(type))) return false;
  const comment = checker.getDocumentationCommentOfSymbol(field);
  return !(/\b[Aa]bsent\b/.test(comment) && /\b([Ee]mpty|0)\b/.test(comment));
}
