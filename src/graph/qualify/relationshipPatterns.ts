import { edgeConditions, type Moment, momentOf } from './conditions.ts';
import { conjunction } from './conjunction.ts';
import { edgesOf } from './consulted.ts';
import { relationship } from './kinds.ts';
import { alternatives, bare, labelText, stringText, typeCondition } from './labels.ts';
import { ownMoment } from './ownMoment.ts';
import { ownConditions } from './ownProperties.ts';
import type { Place } from './place.ts';
import { type Rewrite, refuse } from './rewrite.ts';
import { after, type Tree, tree } from './tree.ts';

/** A relationship, or a path of them, that qualifies. */
export function relationshipPattern(place: Place, of: Tree, quantified: boolean): string {
  const { rewrite } = place;
  const length = tree(of, 'pathLength');
  const types = tree(of, 'labelExpression');
  const named = tree(of, 'variable')?.source;
  const each = length ? rewrite.variable() : (named ?? rewrite.variable());
  const said = ownMoment(of);
  const moment: Moment | undefined =
    said?.moment === undefined ? momentOf(rewrite.shape) : { by: 'time', text: said.moment };
  const readsPast = moment !== undefined;
  const { text, conditions } = typesOf(rewrite, types, each, { long: length !== undefined, readsPast });
  conditions.push(...edgeConditions(each, rewrite.shape, moment));

  const own = said ? undefined : after(of, 'WHERE');
  const inner = ownConditions(place, of, each, relationship);
  if (length && inner.where.length > 0) throw refuse('these properties on a path of variable length', of);
  conditions.push(...inner.where);

  const predicates = own
    ? [conjunction(rewrite, own, place.scope.with(named ? [[named, relationship]] : []))]
    : [];
  let variable = named;
  if (conditions.length > 0) {
    if (length) {
      variable ??= rewrite.variable();
      place.where.push(`all(${each} IN ${variable} WHERE ${conditions.join(' AND ')})`);
    } else {
      variable ??= each;
      if (quantified || place.inline) predicates.push(...conditions);
      else place.where.push(...conditions);
    }
  }
  if (rewrite.consults) {
    variable ??= each;
    place.edges.push(edgesOf(variable, length !== undefined || quantified || place.repeated));
  }
  const where = predicates.length > 0 ? ` WHERE ${predicates.join(' AND ')}` : '';
  const body = `${variable ?? ''}${text}${length?.source ?? ''}${inner.map}${where}`;
  return `${arrow(of, 'left')}[${body}]${arrow(of, 'right')}`;
}

function arrow(of: Tree, side: 'left' | 'right'): string {
  if (side === 'left') return tree(of, 'leftArrow') ? '<-' : '-';
  return tree(of, 'rightArrow') ? '->' : '-';
}

/** The types as they stand in the pattern, and what is left to ask of an edge: never a past one, unless one asks for the past. */
function typesOf(
  rewrite: Rewrite,
  types: Tree | undefined,
  edge: string,
  { long, readsPast }: { long: boolean; readsPast: boolean },
): { text: string; conditions: string[] } {
  const names = types && alternatives(types);
  if (types && names) {
    const text = `:${bare(labelText(rewrite, types, 'types'))}`;
    if (!readsPast) return { text, conditions: [] };
    const list = names.map(stringText).join(', ');
    return {
      text: `${text}|PAST`,
      conditions: [`(${edge}.relationshipType IS NULL OR ${edge}.relationshipType IN [${list}])`],
    };
  }
  if (readsPast) {
    const type = `coalesce(${edge}.relationshipType, type(${edge}))`;
    return { text: '', conditions: types ? [typeCondition(rewrite, types, type)] : [] };
  }
  if (long) {
    const of = types ? [typeCondition(rewrite, types, `type(${edge})`)] : [];
    return { text: '', conditions: [`type(${edge}) <> 'PAST'`, ...of] };
  }
  return { text: types ? `:${labelText(rewrite, types, 'types')}&!PAST` : ':!PAST', conditions: [] };
}
