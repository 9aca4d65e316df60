import { isTree, parseCypher, type Tree, type Word } from '../grammar/tree.ts';
import { forget, sole } from './forms.ts';
import { Queries } from './queries.ts';
import { type Audited, UnconfinedCypher } from './unconfined.ts';

export { type Audited, UnconfinedCypher } from './unconfined.ts';

/**
 * Reads the printed text of a query again and holds it to what its caller may read. It shares no code with what wrote
 * the text but the parser, and refuses whatever it doesn't know.
 * @throws UnconfinedCypher where the text is not confined
 */
export function audit(cypher: string, asked: Audited): void {
  if (!cypher.startsWith(version)) throw new UnconfinedCypher('the version');
  const text = cypher.slice(version.length);
  if (strange.test(text.replace(quotedName, 'n'))) throw new UnconfinedCypher('characters');
  try {
    const parsed = parseCypher(text);
    vet(parsed);
    new Queries(asked).query(sole(sole(parsed)), { here: new Map(), outer: new Map() }, true);
  } catch (error) {
    // What the parser says quotes the text.
    if (error instanceof UnconfinedCypher || !(error instanceof Error)) throw error;
    throw new UnconfinedCypher(`reading it failed with ${error.name}`);
  } finally {
    forget();
  }
}

const version = 'CYPHER 5\n';
const quotedName = /`[\p{L}\p{N}_]+`/gu;
/** No other name is quoted; there are no comments, escapes or several statements. */
const strange = /[^\n\x20-\x7e]|[;"`\\]|\/[/*]/;

/** The rules of the grammar that a text may use, and the words outside of names. */
const rules = new Set(
  `statements statement queryWithLocalDefinitions nextStatement regularQuery union singleQuery clause matchClause withClause returnClause
  unwindClause subqueryClause subqueryScope whereClause returnBody returnItems returnItem orderBy orderItem ascToken descToken skip limit
  patternList pattern anonymousPattern shortestPathPattern
  patternElement pathPatternNonEmpty nodePattern relationshipPattern leftArrow arrowLine rightArrow pathLength quantifier parenthesizedPath
  labelExpression labelExpression4 labelExpression3 labelExpression2 labelExpression1 variable reference symbolicNameString
  escapedSymbolicNameString unescapedSymbolicNameString unescapedSymbolicNameString_ symbolicVariableNameString
  unescapedSymbolicVariableNameString expression expression11 expression10 expression9 expression8 expression7 expression6 expression5
  expression4 expression3 expression2 comparisonExpression6 normalForm type typePart typeName typeNullability typeListSuffix postFix
  property propertyKeyName literal numberLiteral stringLiteral map parameter parameterName caseExpression caseAlternative
  extendedCaseExpression extendedCaseAlternative extendedWhen countStar existsExpression countExpression collectExpression mapProjection
  mapProjectionElement listComprehension listLiteral patternComprehension reduceExpression listItemsPredicate normalizeFunction
  trimFunction parenthesizedExpression functionInvocation functionArgument functionName namespace`.split(/\s+/),
);
const words = new Set(
  `OPTIONAL MATCH WITH RETURN UNWIND CALL UNION ALL DISTINCT AS WHERE ORDER BY ASC ASCENDING DESC DESCENDING OFFSET SKIPROWS LIMITROWS
  ANY SHORTEST_PATH ALL_SHORTEST_PATHS AND OR XOR NOT IN IS NULL TRUE FALSE STARTS ENDS CONTAINS CASE
  WHEN THEN ELSE END EXISTS COUNT COLLECT NONE SINGLE REDUCE TRIM BOTH LEADING TRAILING FROM NORMALIZE NORMALIZED NFC NFD NFKC NFKD
  LIST ARRAY LPAREN RPAREN LBRACKET RBRACKET LCURLY RCURLY COMMA COLON COLONCOLON DOT DOTDOT BAR AMPERSAND EXCLAMATION_MARK PERCENT EQ
  NEQ LE GE LT GT REGEQ PLUS MINUS TIMES DIVIDE POW DOUBLEBAR DOLLAR ARROW_LINE ARROW_LEFT_HEAD ARROW_RIGHT_HEAD STRING_LITERAL1
  DECIMAL_DOUBLE UNSIGNED_DECIMAL_INTEGER`.split(/\s+/),
);

function vet(of: Tree): void {
  if (!rules.has(of.rule)) throw new UnconfinedCypher(`the grammar's ${of.rule}`);
  for (const part of of.parts) {
    if (isTree(part)) vet(part);
    else if (part.word === 'UNSIGNED_DECIMAL_INTEGER' ? !/^\d{1,10}$/.test(part.text) : !isKnown(part, of.rule))
      throw new UnconfinedCypher(`a word in ${of.rule}`);
  }
}

function isKnown({ word, text }: Word, rule: string): boolean {
  if (word === 'DECIMAL_DOUBLE') return text === '1.0';
  return rule === 'typeName' || /scapedSymbolicNameString_?$/.test(rule) || words.has(word);
}
