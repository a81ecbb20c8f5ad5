/**
 * Judges the facts of all files: which way of doing something is the habit, with its share, its support, what speaks
 * against it, and two real places. A habit is stated only with its numbers; nothing is stated on few cases.
 */
import type { Fact } from './facts.ts';
import type { CodePlace, Example, Finding } from './knowledge.ts';

export interface FactsOfFile {
  readonly path: string;
  readonly facts: readonly Fact[];
}

const fewest = 5;
/** Questions whose answers are habits of doing things; the others are rules of writing. */
const patternQuestions = new Map([
  ['caught errors', 'Error handling'],
  ['thrown', 'Thrown errors'],
  ['waiting', 'Asynchronous code'],
  ['iteration', 'Iteration'],
  ['logging', 'Logging'],
  ['test cases', 'Test cases'],
  ['dependencies', 'Dependency injection'],
]);

interface Way {
  count: number;
  files: number;
  readonly places: CodePlace[];
}

const slug = (text: string): string =>
  text
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

function tally(files: readonly FactsOfFile[]): Map<string, Map<string, Way>> {
  const questions = new Map<string, Map<string, Way>>();
  for (const { path, facts } of files) {
    for (const { question, way, count, line, code } of facts) {
      const ways = questions.get(question) ?? new Map<string, Way>();
      questions.set(question, ways);
      const known = ways.get(way) ?? { count: 0, files: 0, places: [] };
      ways.set(way, known);
      known.count += count;
      known.files += 1;
      if (known.places.length < 2) known.places.push({ file: path, line, code });
    }
  }
  return questions;
}

export interface Findings {
  readonly patterns: readonly Finding[];
  readonly conventions: readonly Finding[];
  readonly examples: readonly Example[];
}

/** The same findings, in the same order, for the same facts. */
export function findingsOf(files: readonly FactsOfFile[]): Findings {
  const patterns: Finding[] = [];
  const conventions: Finding[] = [];
  for (const [question, ways] of tally(files)) {
    const space = question.indexOf(' ');
    const language = question.slice(0, space);
    const topic = question.slice(space + 1);
    if (topic === 'calls') {
      patterns.push(...callPatterns(language, ways));
      continue;
    }
    const title = patternQuestions.get(topic);
    const finding = judge(title ?? topic.charAt(0).toUpperCase() + topic.slice(1), language, ways);
    if (finding === undefined) continue;
    (title === undefined ? conventions : patterns).push(finding);
  }
  const byName = (one: Finding, two: Finding): number => two.support - one.support || (one.name < two.name ? -1 : 1);
  patterns.sort(byName);
  conventions.sort(byName);
  const examples = [...patterns, ...conventions].flatMap((finding) =>
    finding.examples.map((place, at) => ({ ...place, id: `${finding.name}-${at + 1}`, title: finding.title })),
  );
  return { patterns, conventions, examples };
}

const percent = (share: number): string => `${(share * 100).toFixed(share > 0.995 && share < 1 ? 1 : 0)} %`;

/** The commonest way of a question, with the others as counter-examples. */
function judge(title: string, language: string, ways: ReadonlyMap<string, Way>): Finding | undefined {
  const sorted = [...ways].sort(([one, a], [two, b]) => b.count - a.count || (one < two ? -1 : 1));
  const [top, ...others] = sorted;
  if (top === undefined) return undefined;
  const [way, { count, files, places }] = top;
  const against = others.reduce((sum, [, other]) => sum + other.count, 0);
  if (count + against < fewest) return undefined;
  const share = count / (count + against);
  const rest = others.slice(0, 3).map(([name, other]) => `${name} ${other.count}`);
  const otherwise = rest.length === 0 ? 'No counter-example was found.' : `Otherwise: ${rest.join(', ')}.`;
  return {
    name: `${slug(title)}-${slug(language)}`,
    title: `${title} (${language})`,
    description: `${way}: ${percent(share)} of ${count + against} cases, in ${files} files. ${otherwise}`,
    share,
    support: count,
    counterExamples: against,
    examples: places,
  };
}

/** Calls that many files make: the doors of the libraries and modules this code lives on. */
function callPatterns(language: string, ways: ReadonlyMap<string, Way>): Finding[] {
  const owners = new Map<string, number>();
  for (const [way, { count }] of ways) {
    const owner = way.slice(0, way.indexOf('.'));
    owners.set(owner, (owners.get(owner) ?? 0) + count);
  }
  return [...ways]
    .filter(([, { files }]) => files >= fewest)
    .sort(([one, a], [two, b]) => b.files - a.files || (one < two ? -1 : 1))
    .slice(0, 40)
    .map(([way, { count, files, places }]) => {
      const owner = way.slice(0, way.indexOf('.'));
      const of = owners.get(owner) ?? count;
      return {
        name: `call-${slug(way)}-${slug(language)}`,
        title: `Calls of ${way} (${language})`,
        description: `${way}() is called ${count} times in ${files} files: ${percent(count / of)} of the ${of} calls on ${owner}.`,
        share: count / of,
        support: count,
        counterExamples: of - count,
        examples: places,
      };
    })
    .filter((finding, at, all) => all.findIndex((other) => other.name === finding.name) === at);
}
