/** Groups of synonyms: words and phrases. The first one of a group is its canonical form. */
export const synonyms = `
  database, db, data base; postgres, postgresql; kubernetes, k8s; javascript, js; typescript, ts; production, prod;
  staging, stage, stg; development, dev; repository, repo; config, configuration, setting; environment, env;
  authentication, auth, authn; application, app; api, apis; documentation, docs, doc; message, msg; request, req; response, resp;
  birthday, born, date of birth, birthdate, birth; job, occupation, profession; color, colour; favorite, favourite;
  big, large, huge; small, little, tiny; begin, start, commence, kick off; end, finish, conclude; buy, purchase, get hold of;
  car, automobile; phone, telephone, phone number, telephone number, mobile number, cell; email, e-mail, mail address, email address; child, kid; mother, mom, mum; father, dad;
  doctor, physician, gp; company, firm; meeting, meet, mtg; deploy, deployment, rollout, roll out; ship, release;
  bug, defect, issue; fix, repair, solve, resolve, solution; error, failure, exception; crash, go down; quick, fast, rapid; slow, sluggish; allergic, allergy;
  vegetarian, no meat; holiday, vacation, time off; bag, apartment; sick, ill; client, customer; maximum, max, at most, upper limit;
  minimum, min, at least; limit, cap; folder, directory; picture, image, photo, photograph; film, movie; football, soccer;
  train, railway; test, unit test; build, compile; delete, erase; create, make; choose, select, pick; help, assist;
  need, require; cause, lead to, bring about; show, display; increase, raise; decrease, reduce, lower; buy, purchase;
  every day, daily, each day; every week, weekly, each week, once a week; every month, monthly, once a month; every year, yearly, annually, annual, once a year;
  hourly, every hour; every night, nightly, each night; nearby, near, close to; teacher, instructor; study, learn;
  university, college, uni; degree, diploma; boss, manager, supervisor; coworker, colleague; wife, spouse; husband, spouse;
  bike, bicycle, cycle; home office, work from home, from home, wfh, remotely, remote; password, passwd, pwd; username, login, user name;
  address, location; deadline, due date, due; office, headquarters, hq; log, logging; monitor, monitoring; encrypt, encryption;
  cache, caching; index, indexing; backup, back up; login, log in, sign in, signin; signup, sign up, register; logout, log out, sign out;
  schedule, timetable; talk, speak, presentation; dinner, supper; lunch, midday meal; breakfast, morning meal;
  review, code review; pr, pull request; ci, continuous integration, pipeline; ticket, issue; server, host; 
  retry, try again; timeout, time out; run, execute; save, store, persist; happy, glad; tired, exhausted; important, crucial, essential;
  wrong, incorrect; right, correct; often, frequently; sometimes, occasionally; morning, a.m.; indentation, indent;
  frontend, front-end, front end; backend, back-end, back end; standup, stand-up, daily standup, daily stand-up; cat, kitten; dog, puppy;
  headache, migraine; exam, examination; math, maths, mathematics; tv, television; fridge, refrigerator; taxi, cab; hometown, home town;
  pipeline, workflow; weekend, saturdays and sundays; guide, tutorial; function, method; variable, var; parameter, param, argument;
  directory, dir; limit, ceiling; throttle, rate limit; memory, ram; disk, storage; utc, gmt`

/**
 * Pairs of opposites, or of groups of opposites. A pair with `~` has a middle: "no longer like" does not mean "hate".
 */
export const opposites = `
  enable, activate, turn on, switch on / disable, deactivate, turn off, switch off; on / off; allow, permit, legal, allowed / forbid, prohibit, ban, disallow, illegal, not allow;
  open / close, closed, shut; public / private; active / inactive; ~ like, love, enjoy, adore, fond of / dislike, hate, detest, despise, loathe, can not stand, not stand;
  true / false; always / never; available / unavailable; required, mandatory, obligatory, compulsory / optional; valid / invalid;
  pass, succeed, success / fail, failure; work fine / broken, break; fixed, resolved, fix / unresolved, unfixed; complete, done / incomplete, unfinished, pending; online / offline; up / down; light / dark;
  synchronous, sync / asynchronous, async; manual, manually, by hand / automatic, automatically, automated; single / married; employed / unemployed; alive / dead;
  accept, approve / reject, decline, refuse; agree / disagree; safe / unsafe, dangerous; stable / unstable, flaky; supported / unsupported;
  visible / hidden; increase / decrease; win / lose; hot / cold; cheap / expensive; possible / impossible; healthy / unhealthy; happy / unhappy; known / unknown;
  encrypted / unencrypted, plaintext; signed / unsigned; blocked / unblocked; locked / unlocked; 
  install / uninstall; subscribe / unsubscribe; include / exclude; inside / outside; indoors / outdoors; early / late; full time, full-time / part time, part-time;
  mutable / immutable; case sensitive, case-sensitive / case insensitive, case-insensitive; trust / distrust; can / can not; necessary / unnecessary;
  verbose / quiet, terse, concise; formal / informal, casual; strict / lenient, loose; persistent / ephemeral, temporary; empty / full; window seat, window / aisle, aisle seat;
  ascending / descending; horizontal / vertical; vegetarian / meat eater, carnivore; smoker, smoke / nonsmoker, non-smoker; loud / quiet; tabs, tab / spaces, space; opt in / opt out; merge / squash; sober / drunk; home / away; hourly / daily; short, brief / long; big / small; high / low; quick / slow; easy / hard, difficult; more / less, fewer; strong / weak; many / few; wet / dry; hot / cold; thick / thin; wide / narrow; heavy / light; plural / singular`

/** Words by kind; words of one kind exclude each other. */
export const exclusiveWords = {
  environment: "production staging development test testing qa local preview canary sandbox demo uat live beta alpha",
  side: "left right top bottom upper lower front rear back north south east west northern southern eastern western central middle",
  rank: "primary secondary first second third fourth fifth main replica master slave leader follower senior junior backup standby",
  audience:
    "internal external public private admin guest anonymous personal business corporate individual staff visitor",
  device: "mobile desktop web ios android tablet laptop phone watch kiosk",
  system: "linux windows macos mac ubuntu debian fedora arch freebsd",
  flow: "read write input output inbound outbound incoming outgoing upload download import export request response client server frontend backend",
  family:
    "mother father sister brother son daughter wife husband uncle aunt cousin grandmother grandfather grandma grandpa nephew niece mother-in-law father-in-law",
  gender: "man woman boy girl male female his hers",
  daytime: "morning noon afternoon evening night",
  season: "spring summer autumn fall winter",
  meal: "breakfast lunch dinner brunch snack dessert",
  color: "red green blue yellow black white purple orange pink brown gray grey teal navy beige turquoise violet",
  drink: "tea coffee water juice wine beer milk cola soda espresso cappuccino latte matcha",
  pet: "cat dog rabbit hamster parrot horse goldfish turtle",
  language:
    "english german french spanish italian portuguese dutch chinese japanese korean russian arabic hindi polish turkish swedish",
  code: "javascript typescript python java kotlin go golang rust ruby php swift scala elixir haskell perl c# c++ cobol dart lua zig clojure",
  datastore:
    "postgres mysql mariadb sqlite mongodb redis cassandra dynamodb oracle cockroachdb couchdb elasticsearch clickhouse",
  broker: "kafka rabbitmq nats sqs pulsar activemq",
  packages: "npm pnpm yarn bun pip poetry uv conda cargo maven gradle",
  cloud: "aws gcp azure heroku vercel netlify fly.io render digitalocean hetzner cloudflare",
  editor: "vim neovim emacs vscode intellij sublime nano webstorm zed pycharm",
  testing: "jest vitest mocha jasmine ava pytest unittest junit testng cypress playwright selenium",
  ui: "react vue angular svelte solid ember preact",
  state: "redux zustand mobx recoil jotai pinia vuex",
  forge: "github gitlab bitbucket gitea",
  protocol: "rest graphql grpc soap websocket http https ftp sftp",
  format: "json yaml toml xml csv ini parquet avro protobuf",
  diet: "vegetarian vegan pescatarian omnivore carnivore keto paleo",
  transport: "car bus train bike tram subway plane ferry scooter foot",
  continent: "europe asia africa america australia emea apac us eu uk",
  period: "daily weekly monthly yearly hourly nightly quarterly biweekly fortnightly annually",
  importance: "low medium high critical urgent trivial",
  progress: "todo pending done blocked finished completed started planned cancelled open closed draft",
  relation: "single engaged married divorced widowed separated",
  seat: "aisle window",
  level: "beginner intermediate advanced expert fluent native",
  size: "small medium large",
  indent: "tabs spaces",
  chat: "slack teams discord mattermost zoom skype webex",
  sport:
    "tennis football basketball volleyball badminton swimming cycling running climbing yoga golf hockey rugby cricket",
  instrument: "piano guitar violin drums cello flute saxophone trumpet bass",
  reading: "fiction nonfiction novel biography poetry"
} as const
