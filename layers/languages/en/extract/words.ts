/**
 * Word classes of English statements. Spaces separate the forms, in lower case; "_" joins the words of a phrase; "*" at
 * the start or end of a form stands for any letters.
 */

/** Relatives, friends and pets, grouped by the pronoun that may refer to them. */
export const relativesByPronoun = {
  she: `mother mum mom mam mama mummy mommy sister daughter wife girlfriend aunt auntie niece grandmother grandma gran granny nan nana
  granddaughter fiancée stepmother stepdaughter stepmum goddaughter godmother landlady mother-in-law sister-in-law daughter-in-law ex-wife`,
  he: `father dad papa daddy brother son husband boyfriend uncle nephew grandfather grandpa grandad granddad grandson fiancé stepfather
  stepson stepdad godson godfather landlord father-in-law brother-in-law son-in-law ex-husband`,
  either: `partner spouse cousin sibling child kid baby twin toddler friend mate buddy flatmate roommate housemate neighbour neighbor colleague
  coworker co-worker boss manager supervisor teacher tutor mentor doctor gp dentist therapist physio client tenant lodger assistant intern
  apprentice teammate ex fiance lawyer accountant vet coach trainer cto ceo lead`,
  they: `parents kids children twins siblings grandparents grandchildren friends sons daughters sisters brothers cousins nephews nieces in-laws boys
  girls neighbours neighbors colleagues tenants`,
  pets: `dogs cats horses chickens hens dog cat puppy kitten rabbit horse pony hamster parrot budgie tortoise hen chicken goldfish snake lizard terrier labrador spaniel pup`
} as const

const notFamily = new Set(
  `friend friends mate buddy colleague colleagues coworker co-worker boss manager supervisor teacher tutor mentor client tenant tenants intern
  apprentice teammate ex lawyer accountant coach trainer cto ceo lead neighbour neighbor neighbours neighbors boys girls assistant partner doctor
  gp dentist therapist physio vet lodger landlord landlady flatmate roommate housemate`.split(/\s+/u)
)
/** All words of `relativesByPronoun`. */
export const kinWords = Object.values(relativesByPronoun).join(" ").split(/\s+/u)
/** Relatives and pets without friends, colleagues and the like. */
export const familyWords = kinWords.filter((word) => !notFamily.has(word))

export const classes = {
  health: `allerg* anaphyla* covid flu pneumonia measles hernia fracture fractured coeliac celiac diabet* asthma* migraine* intoleran* vegan vegetarian pescatarian diagnos* medication*
    meds surgery operated operation insulin epilep* adhd autis* dyslexi* arthri* degeneration therapy pregnan* vertigo injur* sprained
    hearing_aids hard_of_hearing partially_sighted short-sighted visually_impaired hearing_aid wheelchair deaf colour-blind colourblind color-blind colorblind blood_pressure pacemaker cancer stroke *itis *itus *osis *aemia *emia *algia
    crohn's parkinson's alzheimer's dementia lactose gluten nuts nut shellfish kosher halal teetotal sober rehab chemo tablets inhaler epipens epipen insomnia
    depression anxiety burnout bad_back hip_replacement knee_replacement prosthe* paternity_leave maternity_leave parental_leave sick_leave hospital`,

  /** Verbs for what somebody permanently is, has or does, in all their forms. */
  stative: `live lives living work works working study studies studying studied learn learns learning take_lessons takes_lessons own owns owned drive drives teach teaches taught play plays sing sings
    speak speaks run_a runs_a rent rents commute commutes volunteer volunteers manage manages coach coaches collect collects belong belongs come_from
    comes_from grew_up born raised based employed married engaged divorced separated widowed single retired cycle cycles swim swims wear wears
    weigh weighs dictate dictates eat eats drink drinks smoke smokes cook cooks bake bakes use uses using maintain maintains attend attends write_for support supports tolerate
    tolerates deploy deploys owe owes lead leads left-handed right-handed bilingual fluent self-employed freelance freelancer unemployed native_language
    mother_tongue ride rides keep_halal on_call between_jobs go_to_the goes_to host hosts foster fosters garden paint paints knit knits climb climbs dance dances fish fishes
    do_the does_the look_after looks_after care_for cares_for report_to reports_to sleep sleeps named`,

  /** Verbs that are weaker signs, because many sentences contain them. */
  having: `carry carries share shares keep keeps take takes want wants need needs make makes grow grows pay pays earn earns cost costs weigh weighs open opens
    close closes start starts end ends leave leaves arrive arrives depart departs supply supplies come comes meet meets handle handles cover covers
    store stores sit sits sell sells build builds go goes run runs have has got listen listens connect connects return returns send sends reads read
    expects expect accept accepts allow allows contain contains include includes hold holds provide provides support point points expire expires work
    works lives live called`,

  liking: `like prefer prefers preferred likes love loves hate hates enjoy enjoys adore adores loathe loathes detest dislike dislikes
    favourite favorite rather can't_stand cannot_stand cant_stand can't_bear fan_of fond_of keen_on into allergic_to not_for_me my_thing sick_of
    don't_much_like doesn't_want doesn't_like won't_eat wants_no hates_being want_no don't_do don't_eat don't_drink don't_want hates hate never_again no_fan picky avoid avoids swear_by obsessed afraid_of scared_of terrified_of a_fan_of best_for_me works_for_me work_for_me suits_me suit_me easier_for_me`,

  deciding: `decided decision agreed settled_on settled going_with go_with goes_with went_with chose chosen picked opted opting we'll_use stick_with sticking_with
    sticking_to final signed_off approved scrap scrapped dropping dropped cancel cancelled canceled postponed switch switching switched migrate migrating migrated
    replace replacing replaced from_now_on no_longer instead_of let's_go let's_do let's_use let's_keep let's_stick let's_call let's_make let's_take let's_say
    i'm_taking we're_taking i'll_take we'll_take take_it taking_it made_up_my_mind signed_up enrolled accepted turned_down rejected ruled_out
    renamed moved_to moving_to keep_it it_is_then we_stay we_go committed_to not_going_to won't is_off are_off is_cancelled called_off is_on_hold stays_in it's_off dropping no_more`,

  /** Verbs and nouns of plans and appointments. */
  planning: `going_to gonna will *'ll plan plans planning planned booked book scheduled schedule flying flight moving starting starts start arriving
    arrives coming visiting visits meeting wedding appointment interview exam due deadline trip leaving leaves travelling traveling hosting presenting presents giving
    launch launching launches release releasing ships shipping concert party ceremony surgery checkup check-up course class rehearsal ends until session
    viewing inspection audit conference talk kick-off kickoff holiday vacation delivered delivery jab vaccination birthday anniversary graduation move-in movein shift match game race tournament
    recital funeral christening retire retiring opens closing`,

  duty: `have_to has_to need_to needs_to must got_to gotta ought_to remind_me don't_forget todo to_do to-do supposed_to still_need needs_doing left_to_do
    am_to i'm_to is_due has_until have_until needs_renewing needs_replacing needs_new needs_a_new expires expired expire shouldn't_forget`,

  /** Verbs of single events that change something that lasts. */
  changing: `moved quit quitting joined bought sold married divorced died passed_away passed_in born broke graduated passed failed engaged got_a got_an
    got_the got_my got_engaged got_married got_divorced got_promoted got_fired got_laid got_accepted got_into got_back_from signed booked switched migrated
    upgraded changed set decided hired promoted adopted ordered installed replaced cancelled canceled resigned retired inherited enrolled transferred
    renewed rotated bumped increased reduced raised lowered enabled disabled rented split founded gave_up stopped became renamed created configured
    deployed rolled_back restored merged released launched moving_in moved_in diagnosed started_a started_my started_learning started_at signed_up
    expecting tore sprained fractured applied pushed_to pushed_back postponed rescheduled extended brought_forward delayed pinned patched downgraded rewrote dropped_out killing sunsetting shutting_down switching replacing rewriting retiring_the laid_off fired ended_up promised fell_through pulled_out backed_out fallen_through handed_in took_over taken_over stepped_down given_up gave_in
    retrained settled_in standardised standardized standardise standardize broke_up broken_up split_up called_off swapped moves_out moves_in moving_out moved_out made_me turned_down got_engaged got_married passed_my passed_her passed_his dropped_for adopted lent lost_my`,

  /** Verbs of events that may be unimportant. */
  happening: `started found won lost finished completed delivered shipped closed opened published received turned rang repeated put wrote built
    removed added hurt swapped asked_me offered fixed visited met went_to`,

  solving: `fixed fixes turned_out turns_out solved solves solution root_cause culprit caused_by because_of workaround helped did_it did_the_trick the_fix the_bug
    the_problem_was the_issue_was the_cause the_reason was_the resolved works_now working_now works_again so_it_was it_was_the went_through the_trick that_was_it
    fixed_it green_again up_again works_fine are_gone is_gone went_away back_to_normal runs_again builds_again passes_now pass_again stopped_failing was_missing it_was_a cleared_it sorted_it makes_it_work reverting reverted`,

  /** Words for something that happens regularly or lasts long. */
  lasting: `always never every each usually often mostly generally normally regularly daily weekly monthly yearly nightly twice since nowadays these_days
    mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends weekdays anymore any_more any_longer no_longer from_now_on most_days all_my_life for_years forever
    permanently by_default whenever whoever ever_since years year in_future at_weekends times_a once_a as_a_rule only still no_more`,

  /** Words for states that last hours at most. */
  fleeting: `right_now just_now at_the_moment this_minute currently today tonight this_morning this_afternoon this_evening for_now brb
    in_a_minute in_a_sec in_a_bit in_a_moment moment hang_on hold_on wait_a gotta_run gotta_go off_to back_in one_sec just_got_back on_my_way last_night so_far atm
    again_already just_woke still_waiting as_we_speak  in_half_an_hour in_an_hour minutes_ago min_ago hours_ago just_called just_sat
    a_second now_that`,

  /** Temporary conditions and moods of people. */
  passing: `tired exhausted hungry thirsty bored annoyed sad happy glad excited nervous stressed sleepy knackered busy ok okay fine sure ready done late stuck lost
    confused curious back home here awake worried relieved impressed grateful lazy cold hot drunk hungover proud sorry screwed doomed dead dying shattered wrecked
    freezing melting starving losing_it losing_my fed_up tempted kidding joking afraid all_ears thinking wondering looking trying guessing asking
    crying laughing speechless jealous rambling procrastinating overthinking crazy mad insane stupid an_idiot useless terrible hopeless weird nice great good`,

  supposing: `if what_if maybe might could perhaps probably possibly suppose imagine thinking_of thinking_about wonder wondering considering toying tempted not_sure unsure
    would wouldn't would've could've should've i'd he'd she'd they'd we'd guess hopefully i_wish wish_i hoping hope dream one_day some_day someday whether in_theory
    hypothetically in_case apparently supposedly allegedly rumour rumor seems seem seemed feels_like sounds_like looks_like may_be no_idea don't_know dunno not_decided undecided
    haven't_decided thought_about half_thinking leaning either_way in_a_perfect as_if as_though likely say_i`,

  /** Words for rules and prohibitions. */
  ruling: `allowed forbidden forbids forbid prohibited banned mustn't must_not may_not doesn't_tolerate can't_eat can't_have can't_use can't_drink not_supposed
    requires required mandatory only_with no_one_may never_to without_prejudice confidential rejects reject`,

  /** Words for aims. */
  aiming: `want aim aiming goal target want_to would_like_to hope_to saving_for training_for`,

  /** Words for activities that last for weeks. */
  pursuing: `working_on writing building learning studying training_for renovating planning preparing developing reading organising organizing applying
    doing_a doing_an doing_my saving looking_for moving selling buying expecting researching correcting redoing restoring raising fostering trying_to_get in_the_middle_of
    halfway_through thesis dissertation novel revising translating composing`,

  /** Words of judgement: praise or criticism. */
  judging: `funny weird nice great good bad terrible lovely beautiful strange stupid horrible awful amazing wonderful brilliant silly ridiculous absurd boring
    perfect fantastic gorgeous ugly annoying hilarious creepy pathetic delightful useless impressive cute cruel sad shame joke mess nightmare
    miracle mystery genius idiot fool disaster hero menace legend`,

  /** Words for a belief. They express less doubt than the words of `supposing`. */
  believing: `think reckon believe suspect feel guess suppose`,

  joking: `jk just_kidding kidding joking i_swear basically literally billion* a_million millions trillion million_times
    world_domination a_robot a_saint living_the_dream`,

  saying: `says said say saying claims claim claimed told tells insists insist insisted reckons swears argues writes wrote texted keeps_saying quote quoted according_to
    thinks believes asked asks shouted yelled announced mumbled joked jokes`,

  /** First words of requests to the assistant. */
  requests: `write show explain give tell make help draft summarise summarize translate list check look find convert suggest recommend compare fix add remove put let
    go try create generate rewrite rephrase shorten describe teach think calculate count sort run open send remind pick choose plan turn read
    say talk sing play guess imagine consider search google update change format print set do get use keep walk start stop continue skip drop include
    ask spell define outline note remember ignore forget take name rate review refactor debug hit leave bring cut merge split`,

  /** Verbs of speech and thought whose object is not a fact: "I know", "I see what you mean". */
  minding: `know see mean understand get guess wonder remember forget hear agree trust thank promise swear get_it appreciate
    doubt don't_know can't_remember don't_remember don't_get don't_understand don't_see`
} as const
