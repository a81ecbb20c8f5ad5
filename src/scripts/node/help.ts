/** The text of `--help`: at most 60 lines, because agents read it. */
export const HELP = `usage: mcp_async_call.mjs [TOOL [ARGS_JSON]] [options]

Calls a tool of this skill's MCP server and prints the result.

call a tool
  --tool NAME            tool to call; its result is printed
  --args JSON            arguments as one JSON object ('-' reads standard input); default {}
  --args-file FILE       the same from a file ('-' reads standard input)
  --list                 tool names and first sentences, offline
  --describe TOOL        the tool's whole reference, offline
  --no-check             send the arguments without checking them against the schema
  --timeout S            deadline of one request, and of a whole plain call (60)

run a job (submit, poll, fetch the result, download its files)
  --submit-tool NAME     tool that starts the job
  --status-tool NAME     tool that tells how far it is
  --result-tool NAME     tool that gives the result
  --wait [S]             wait up to S seconds; without S to the end (6000); default 45,
                         then the job's id and the command to go on are printed
  --resume ID            go on with a job
  --submit-only          only submit, print the id
  --id-param NAME        name of the id argument (found in the schema, else request_id)
  --poll-interval S      first pause between polls (2)
  --max-polls N          polls at most (3000)

files
  -o, --output DIR       folder for files (./output)
  -O, --output-file PATH exactly this file; a bare name goes into the folder
  --auto-filename        name files by job id and time
  --save-logs            requests and responses of a job into DIR/logs
  --save-logs-inline     the same, beside the result
  --max-bytes N          largest download or linked resource (1 GiB)

sessions (keep the server alive between calls)
  --session NAME         call through the session NAME, started when needed
  --session-idle S       it ends itself after S idle seconds (600)
  --session-stop NAME    end it and its server
  --session-list         the sessions that run

which server
  -c, --config FILE      default: references/mcp.json of the skill
  --server NAME          where the file names several
  -e, --endpoint URL     a server by its address
  --type http|sse        transport of the endpoint
  --header 'K: V'        extra HTTP header (repeatable)

  --json                 one JSON object on standard output
  --version, --help

exit codes: 0 result or running job, 1 tool error, 2 usage, 3 server, 4 timeout, 5 missing secret
`;
