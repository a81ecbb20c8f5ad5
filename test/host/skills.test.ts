/** The Skills view as a person meets it: what is installed, what is wrong with it, opened, deleted, followed on disk. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useWorkbench } from './bed/installed.ts';
import { answerDialog, dialog, notification } from './bed/questions.ts';
import { runCommand, showSkills, startCommand, until } from './bed/user.ts';

const text = (name: string, description = `Does ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\nDo it.\n`;
const main = (name: string, root = '.claude'): string => `${root}/skills/${name}/SKILL.md`;

const FILES = {
  [main('pdf')]: text('pdf'),
  '.claude/skills/pdf/scripts/read.py': 'print()\n',
  [main('gone')]: text('gone'),
  [main('broken')]: text('broken', 'Use when: x'),
  [main('notes', '.agents')]: text('notes'),
  // A watcher that has just met a new folder may miss what is written there at once.
  '.github/skills/README.md': 'Skills lie here.\n',
};

const rowOf = (rows: Locator, name: string): Locator =>
  rows.filter({ has: rows.page().locator(`.label-name >> text="${name}"`) }).first();

/** Presses a button of a row; a row shows its buttons to who points at it. */
async function press(row: Locator, button: string): Promise<void> {
  await row.hover();
  await row.locator(`.action-label[aria-label^="${button}"]`).first().click();
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Answers yes to the question, and to the one that comes where there is no trash. */
async function agree(page: Page, skill: string): Promise<void> {
  await answerDialog(page, `Delete the skill "${skill}"`, 'Delete Skill');
  await until('the skill is neither deleted nor asked about again', async () => {
    if (await notification(page, `"${skill}" was deleted`).isVisible()) return true;
    const again = dialog(page).filter({ hasText: 'for good' });
    if (await again.isVisible()) await again.locator('.monaco-button').filter({ hasText: 'Delete for Good' }).click();
    return undefined;
  });
}

describe('the Skills view', () => {
  const { page, folder } = useWorkbench({ files: FILES });

  it('lists the installed skills by folder, with tokens, and says how many fit the listing', async () => {
    const { rows, header } = await showSkills(page());
    await rows.getByText('.claude/skills').first().waitFor();
    await rows.getByText('.agents/skills').first().waitFor();
    expect(await rowOf(rows, 'pdf').getAttribute('aria-label')).toMatch(/^pdf, \d+ \+ \d+ tokens/);
    expect(await rowOf(rows, 'notes').getAttribute('aria-label')).toMatch(/^notes, not read by Claude Code · \d+/);
    await header.getByText('3 of 3 fit').waitFor();
  });

  it('shows what is wrong with a skill, and leads to the line', async () => {
    const { rows } = await showSkills(page());
    const broken = rowOf(rows, 'broken');
    expect(await broken.getAttribute('aria-label')).toContain('problems');
    await broken.locator('.monaco-tl-twistie').click();
    const problem = rows.filter({ hasText: 'starts another field in YAML' }).first();
    expect(await problem.getAttribute('aria-label')).toContain('Invalid skill');
    await problem.click();
    await page().locator('.editor-instance [data-uri$="/broken/SKILL.md"]').first().waitFor();
    await page().locator('.statusbar-item').filter({ hasText: 'Ln 3' }).first().waitFor();
  });

  it('opens a skill that is clicked', async () => {
    const { rows } = await showSkills(page());
    await rowOf(rows, 'pdf').click();
    await page().locator('.editor-instance [data-uri$="/pdf/SKILL.md"]').first().waitFor();
  });

  it('deletes nothing when the person does not agree', async () => {
    const { rows } = await showSkills(page());
    // Twice, so that anything asked in between would be met.
    for (let times = 0; times < 2; times++) {
      await press(rowOf(rows, 'pdf'), 'Delete Skill');
      const said = await answerDialog(page(), 'Delete the skill "pdf"', 'Cancel');
      expect(said).toContain(join(folder(), '.claude/skills/pdf'));
      expect(said).toContain('2 files');
    }
    // Whatever would come of it has come by then.
    await runCommand(page(), 'Mochi: Look for Skills Again');
    await rowOf(rows, 'pdf').waitFor();
    expect(existsSync(join(folder(), main('pdf')))).toBe(true);
  });

  it('deletes a skill after a yes, and only that', async () => {
    const { rows, header } = await showSkills(page());
    await press(rowOf(rows, 'gone'), 'Delete Skill');
    await agree(page(), 'gone');
    expect(existsSync(join(folder(), '.claude/skills/gone'))).toBe(false);
    expect(existsSync(join(folder(), main('pdf')))).toBe(true);
    await rowOf(rows, 'gone').waitFor({ state: 'detached' });
    await header.getByText('2 of 2 fit').waitFor();
  });

  it('follows what is written and removed on disk', async () => {
    const { rows } = await showSkills(page());
    write(folder(), { [main('fresh', '.github')]: text('fresh') });
    await rowOf(rows, 'fresh').waitFor();
    const twin = { [main('pdf', '.github')]: text('pdf', 'Another one.') };
    write(folder(), twin);
    await until('nothing says that one hides the other', async () =>
      (await rows.filter({ hasText: 'hidden by another of the same name' }).count()) > 0 ? true : undefined,
    );
  });

  it('says which skills do not fit the listing any more', async () => {
    const { header, pane } = await showSkills(page());
    const many = Array.from({ length: 45 }, (_, index) => `many-${String(index).padStart(2, '0')}`);
    write(folder(), Object.fromEntries(many.map((name) => [main(name), text(name, 'x'.repeat(200))])));
    await header.getByText('39 of 47 fit').waitFor();
    await pane.getByText('Listed by name only: many-').waitFor();
  });
});

describe('the Skills view without skills', () => {
  const { page, folder } = useWorkbench({ files: { 'notes.md': '# Notes\n' } });

  it('says where skills lie and what to do, until the first one is there', async () => {
    const { pane, rows } = await showSkills(page());
    await pane.getByText('There are no skills here yet').waitFor();
    await pane.getByRole('button', { name: 'Generate Skill' }).first().waitFor();
    write(folder(), { [main('first')]: text('first') });
    await rowOf(rows, 'first').waitFor();
    rmSync(join(folder(), '.claude'), { recursive: true });
    await pane.getByText('There are no skills here yet').waitFor();
  });
});

describe('the Skills view in Restricted Mode, in Japanese', () => {
  const { page, folder } = useWorkbench({ restricted: true, language: 'ja', files: FILES });

  it('shows the skills and deletes none', async () => {
    await page().getByText('Restricted Mode').first().waitFor();
    const { rows, header } = await showSkills(page());
    await header.getByText('3 個中 3 個が収まります').waitFor();
    const row = rowOf(rows, 'pdf');
    await row.hover();
    expect(await row.locator('.action-label[aria-label^="スキルを削除"]').count()).toBe(0);
    await startCommand(page(), 'Mochi: スキルを削除');
    await notification(page(), '制限モード').waitFor();
    await runCommand(page(), 'Notifications: Clear All Notifications');
    expect(await dialog(page()).count()).toBe(0);
    for (const [path, content] of Object.entries(FILES))
      expect(readFileSync(join(folder(), path), 'utf8')).toBe(content);
  });
});
