/**
 * Prose that tries to steer the model instead of describing a tool: instructions against earlier ones, secrecy,
 * reading or sending private things, pressure, and talk about the tools of other servers. Deterministic rules in
 * English, Japanese and Chinese; what they miss is still only quoted as data. The rule names follow the E and W
 * codes of public scanners for skills and tools.
 */

/** A suspicious passage. */
export interface PoisonFinding {
  readonly rule: 'E001' | 'E002' | 'W001';
  /** What the passage tries, as the end of a sentence that begins with "The text". Free of the text itself. */
  readonly what: string;
}

interface Phrase {
  readonly pattern: RegExp;
  readonly what: string;
}

const PRIVATE =
  '(?:\\.ssh\\b|id_rsa|id_ed25519|\\.aws\\/|\\.netrc|\\.npmrc|\\.pypirc|\\.git-credentials|\\.gnupg|\\/etc\\/(?:passwd|shadow)|\\.cursor\\/|mcp\\.json|claude_desktop_config|\\.bash_history|keychain|private keys?)';

/** Each pattern is bounded, so that a long text costs linear time. */
const INJECTION: readonly Phrase[] = [
  {
    what: 'tells the model to drop its earlier instructions',
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|the|your|my|of|these|those|every)\s+){0,4}(?:previous|prior|above|earlier|preceding|existing|system|original|other|safety)\s+(?:\w+\s+)?(?:instructions?|prompts?|rules?|messages?|directives?|guidelines?|restrictions?)\b/,
  },
  {
    what: 'asks to keep something from the user',
    pattern:
      /\b(?:do not|don't|dont|never|must not|should not|without|avoid)\s+(?:ever\s+)?(?:tell|inform|mention|notify|alert|reveal|disclose|say|explain|show)(?:ing)?\s+(?:(?:this|it|that|anything|any of this|about this|about it|the above|these)\s+){0,2}(?:to\s+)?(?:the\s+)?(?:users?|humans?|person|operator|anyone)\b(?!['’]s)/,
  },
  {
    what: 'asks to keep something from the user',
    pattern: /\b(?:hide|conceal|keep)\s+(?:this|it|that|these)\s+(?:\w+\s+){0,3}(?:from\s+(?:the\s+)?user|secret)\b/,
  },
  {
    what: 'asks to read private files',
    pattern: new RegExp(
      `\\b(?:read|open|cat|load|include|send|upload|pass|copy|fetch|print|access)\\b[^.\\n]{0,100}${PRIVATE}`,
    ),
  },
  {
    what: 'asks for something to be read or sent before any tool is used',
    pattern:
      /\bbefore\s+(?:using|calling|invoking|running|you use|you call)\s+(?:this|any|any other|every|the|other)\s+(?:\w+\s+)?tools?\b[^.\n]{0,80}\b(?:read|open|cat|send|upload|forward|post)\b/,
  },
  {
    what: 'asks to send private things elsewhere',
    pattern:
      /\b(?:send|forward|post|upload|transmit|exfiltrate|bcc|leak|report)\b[^.\n]{0,80}\b(?:conversation|chat history|credentials?|secrets?|passwords?|api keys?|access tokens?|environment variables?|private keys?|all (?:e-?mails?|messages|files))\b[^.\n]{0,60}\b(?:to|at|via)\s+(?:https?:\/\/|[\w.+-]{1,60}@|this (?:address|server|url|tool))/,
  },
  {
    what: 'asks to send mail or messages to an address of its own',
    pattern:
      /\b(?:always|must|also|every|all)\b[^.\n]{0,60}\b(?:send|bcc|cc|forward|copy|recipients?)\b[^.\n]{0,60}[\w.+-]{1,60}@[\w-]{1,60}\.[a-z]{2,}/,
  },
  {
    what: 'poses as a system message',
    pattern: /<\/?\s*(?:system|system[-_ ]?prompt|important|hidden|secret|admin)\s*>/,
  },
  {
    what: 'poses as a system message',
    pattern: /(?:^|\n)\s*(?:\[?(?:system|assistant|developer)\]?\s*(?:message|prompt)?\s*:|<\|[a-z_]+\|>|\[\/?inst\])/,
  },
  {
    what: 'gives the model a new role',
    pattern:
      /\b(?:you are now (?:a|an|in|the)\b|new (?:system )?instructions?\s*:|(?:enter|enable) (?:developer|god|jailbreak) mode|pretend (?:to be|you are)\b)/,
  },
  {
    what: 'asks for the system prompt',
    pattern: /\b(?:reveal|print|repeat|output|show|return|include)\b[^.\n]{0,40}\bsystem prompt\b/,
  },
];

const INJECTION_EAST: readonly Phrase[] = [
  {
    what: 'tells the model to drop its earlier instructions',
    pattern:
      /(?:これまで|以前|前|上記|先ほど|従来|他|すべて|全て)の[^。\n]{0,12}(?:指示|命令|プロンプト|ルール|規則|制約)[^。\n]{0,6}(?:無視|忘れ|破棄|従わな|上書き)/,
  },
  {
    what: 'asks to keep something from the user',
    pattern:
      /(?:ユーザー?|利用者|使用者|人間)[^。\n]{0,20}(?:言わない|言うな|伝えない|伝えるな|知らせ(?:ない|るな)|教え(?:ない|るな)|話さない|見せない|秘密に|内緒|明かさない|開示しない|報告しない|通知しない|気づかれない)/,
  },
  {
    what: 'asks for something to be read or sent before any tool is used',
    pattern:
      /ツール[^。\n]{0,10}(?:使う|使用|呼び出|呼ぶ|実行)[^。\n]{0,6}前に[^。\n]{0,40}(?:読み|読ん|読む|送信|送っ|送る|開い)/,
  },
  {
    what: 'asks to send private things elsewhere',
    pattern:
      /(?:秘密鍵|認証情報|パスワード|APIキー|トークン|環境変数|会話)[^。\n]{0,16}(?:に|へ)[^。\n]{0,12}(?:送信|送っ|送る|転送|アップロード)/i,
  },
  { what: 'asks for the system prompt', pattern: /システムプロンプト[^。\n]{0,10}(?:表示|出力|開示|教え|公開|見せ)/ },
  {
    what: 'tells the model to drop its earlier instructions',
    pattern:
      /(?:忽略|忽視|无视|無視|忘记|忘掉|不要理会|绕过|覆盖|抛弃)[^。\n]{0,8}(?:之前|以上|先前|此前|前面|上述|原有|所有|全部|系统)[^。\n]{0,6}(?:指令|指示|提示|规则|命令|要求|限制)/,
  },
  {
    what: 'asks to keep something from the user',
    pattern:
      /(?:不要|不得|切勿|别|禁止|不许|请勿|不能|无需)(?:再)?(?:告诉|告知|通知|透露|提及|提醒|让|向|对)[^。\n]{0,8}(?:用户|使用者|人类)(?![^。\n]{0,1}名)/,
  },
  {
    what: 'asks for something to be read or sent before any tool is used',
    pattern: /(?:使用|调用|执行)[^。\n]{0,8}工具[^。\n]{0,4}前[^。\n]{0,40}(?:读取|发送|打开|查看|上传)/,
  },
  {
    what: 'asks to send private things elsewhere',
    pattern: /(?:密钥|密码|凭据|凭证|令牌|私钥|环境变量|聊天记录|对话)[^。\n]{0,12}(?:发送|上传|转发|传输)(?:到|至|给)/,
  },
  { what: 'asks for the system prompt', pattern: /(?:显示|输出|泄露|透露|打印)[^。\n]{0,6}系统提示/ },
];

const PRESSURE =
  /\b(?:important|crucial|critical(?:ly)?|vital|urgent(?:ly)?|ignore|disregard|override|bypass|mandatory)\b/g;
const ORDER = /\b(?:you must|must always|always|never|under no circumstances|at all costs|immediately|no exceptions)\b/;
/** Different words of pressure that one text may hold, with an order beside them. */
const PRESSURE_LIMIT = 3;

const PREFERENCE =
  /\b(?:always|must|only)\s+(?:use|call|prefer|choose|invoke|run)\s+this\s+(?:tool|server|function)\s+(?:instead of|rather than|over|before)\s+(?:any|all|every|other|the other)\b|\b(?:never|do not|don't)\s+(?:use|call|invoke)\s+(?:any\s+)?other\s+(?:tools?|servers?)\b|\b(?:ignore|disregard|skip|bypass)\s+(?:any\s+|all\s+|the\s+)*(?:confirmation|approval|consent|permission checks?|safety checks?|security checks?|warnings?|user(?:'s)? (?:requests?|preferences?|wishes))\b|\bwithout\s+(?:asking|confirming|waiting)\b[^.\n]{0,20}\b(?:user|permission|approval|confirmation)\b/;

/** Rules that look at one text alone, each at most once for each thing it tries. */
export function poisonIn(text: string): readonly PoisonFinding[] {
  const plain = text.normalize('NFKC').toLowerCase();
  const found = new Map<string, PoisonFinding>();
  for (const { pattern, what } of [...INJECTION, ...INJECTION_EAST]) {
    if (pattern.test(plain)) found.set(what, { rule: 'E001', what });
  }
  const words = new Set([...plain.matchAll(PRESSURE)].map((match) => match[0].replace(/ly$/, '')));
  if (words.size >= PRESSURE_LIMIT && ORDER.test(plain)) {
    found.set('pressure', { rule: 'W001', what: 'puts the model under pressure with words of urgency' });
  }
  if (PREFERENCE.test(plain)) {
    found.set('preference', { rule: 'W001', what: 'pushes the model past other tools or past the person’s consent' });
  }
  return [...found.values()];
}

/** The tools of another server, for {@link shadowingIn}. */
export interface OtherTools {
  readonly server: string;
  readonly tools: readonly string[];
}

export interface Neighbours {
  /** Names of other servers in the same workspace. */
  readonly servers: readonly string[];
  readonly tools: readonly OtherTools[];
  /** Names that belong to the text's own server, which it may of course mention. */
  readonly own: ReadonlySet<string>;
}

/** A finder of mentions of other servers and their tools. Build it once for a catalog. */
export function createShadowFinder(neighbours: Neighbours): (text: string) => readonly PoisonFinding[] {
  const own = new Set([...neighbours.own].map((name) => name.toLowerCase()));
  const tools = new Map<string, string>();
  for (const { server, tools: names } of neighbours.tools) {
    for (const name of names) if (!own.has(name.toLowerCase())) tools.set(name.toLowerCase(), server);
  }
  const servers = new Map<string, string>();
  for (const name of [...neighbours.servers, ...neighbours.tools.map((other) => other.server)]) {
    if (name.length >= 3 && !own.has(name.toLowerCase())) servers.set(name.toLowerCase(), name);
  }
  return (text) => {
    const plain = text.normalize('NFKC').toLowerCase();
    const named = new Set<string>();
    for (const match of plain.matchAll(/[\p{L}\p{N}_][\p{L}\p{N}_./-]*[\p{L}\p{N}_]|[\p{L}\p{N}]/gu)) {
      const server = tools.get(match[0]);
      if (server !== undefined && isToolMention(plain, match.index, match[0])) named.add(server);
    }
    for (const [lower, name] of servers) if (isServerMention(plain, lower)) named.add(name);
    return [...named].sort().map((server) => ({
      rule: 'E002' as const,
      what: `talks about the server ${JSON.stringify(server)} or a tool of it`,
    }));
  };
}

/** An everyday word counts only where the text calls it a tool; a compound such as `read_file` counts anywhere. */
function isToolMention(plain: string, at: number, name: string): boolean {
  if (/[a-z0-9][_/-][a-z0-9]/.test(name)) return true;
  const around = plain.slice(Math.max(0, at - 12), at + name.length + 12);
  const quoted = /["'`“‘「]/.test(plain[at - 1] ?? '') && /["'`”’」]/.test(plain[at + name.length] ?? '');
  return quoted && /\btools?\b|ツール|工具/.test(around);
}

function isServerMention(plain: string, name: string): boolean {
  if (plain.includes(`mcp__${name.replace(/[^a-z0-9_-]/g, '_')}__`)) return true;
  for (let at = plain.indexOf(name); at >= 0; at = plain.indexOf(name, at + 1)) {
    if (/[\p{L}\p{N}_-]$/u.test(plain.slice(Math.max(0, at - 1), at))) continue;
    if (
      /^["'`”’」]?(?:\s+|の|的)?(?:mcp\s+)?(?:(?:server|tool)(?:'s|s)?\b|サーバー?|ツール|服务器|工具)/.test(
        plain.slice(at + name.length, at + name.length + 24),
      )
    ) {
      return true;
    }
  }
  return false;
}
