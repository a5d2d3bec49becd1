import type { LanguageWords } from "../claims/LanguageWords.js"

export const german: LanguageWords = {
  tag: "de",
  cues: {
    not: "nicht, kein, keine, keinen, keinem, keiner, keines, nie, niemals, niemand, nirgends, ohne, weder, noch nie, verbietet, verboten",
    ended:
      "nicht länger, nicht mehr, kein mehr, nie wieder, nie mehr, beendet*, eingestellt, abgeschafft, aufgehört, aufgegeben, gekündigt, abgemeldet, abgesagt, entfällt, fällt aus, fällt weg, weggefallen, vorbei, abgeschaltet, stillgelegt, aufgelöst, abgelöst, eingestampft, hinfällig, gestrichen, abgebaut, ausgelaufen, rausgenommen, verzichtet auf, rauchfrei, vergangenheit, raus aus, ausgestiegen, ausgetreten, weggezogen, aus und vorbei, schluss mit, getrennt, geschieden, geschlossen worden, schließt für immer, erledigt sich, beerdigt, ad acta",
    changed:
      "jetzt, nun, nunmehr, ab sofort, inzwischen, mittlerweile, neuerdings, ab heute, seit heute, seit gestern, neu, neue, neuer, neues, neuen, geändert, ändert sich, umgestellt, umgezogen, zieht um, ist nach, gezogen, am ende doch, gewechselt, wechselt, verschoben, verlegt, ersetzt, erhöht, gesenkt, angehoben, reduziert, verlängert, verkürzt, migriert, umbenannt, übernommen, übernimmt, statt dessen, stattdessen, dafür, umgestiegen, wieder, geworden, umgebaut, geeinigt, umentschieden, gestiegen, gesunken, ausgetauscht, abgelöst durch, künftig, vorgezogen, seither, seitdem, hochgesetzt, verteuert, rutscht, wandert, umgebucht, umbesetzt, folgt auf, nachfolger, nachfolgerin, heißt nun, aufgestockt, verdoppelt, halbiert, ausgewichen, weicht aus, doch lieber, heraufgesetzt, herabgesetzt",
    corrected:
      "korrektur, zahlendreher, korrigier*, richtigstellung, berichtig*, verwechselt, vertan, falsch, irrtum, irrtümlich, versehentlich, tatsächlich, in wirklichkeit, in wahrheit, stimmt nicht, doch nicht, genauer gesagt, verschrieben, vertippt",
    former:
      "statt, anstatt, anstelle von, anstelle, bisher, bislang, vorher, zuvor, früher noch, nicht mehr wie bisher, ehemals, ehemalig*, löst ab",
    also: "auch, außerdem, zusätzlich, ebenfalls, ebenso, sowie, daneben, darüber hinaus, zweite, zweiter, zweites, zweiten, weitere, weiterer, weiteres, noch ein, noch eine, noch einen, nebenbei, gelegentlich, manchmal, ab und zu, sowohl",
    still:
      "weiterhin, nach wie vor, immer noch, noch immer, bleibt, bleiben, unverändert, rührt sich nichts, wie gehabt, wie bisher, bestätigt, bestätige, stimmt, geprüft, nachgesehen, nachgefragt, tatsächlich immer noch, wie immer, wie gesagt, wie üblich, dabei bleibt es, alles beim alten, nichts geändert, hat sich nichts, richtig, genau, korrekt, noch aktuell, gilt weiter, steht fest",
    past: "früher, damals, war, waren, hatte, hatten, einst, einmal, seinerzeit, ursprünglich, vor jahren, als kind, in der jugend, in den neunzigern, als student*, wohnte, arbeitete, lebte, gab, ging, kam, nutzte, hieß, stand, lag",
    maybe:
      "vielleicht, möglicherweise, eventuell, evtl, womöglich, vermutlich, wahrscheinlich, wohl, glaube, glaub, denke, meine ich, könnte, könnten, würde, würden, dürfte, müsste, scheint, anscheinend, offenbar, angeblich, ich vermute, nehme an, bin nicht sicher, nicht sicher, unsicher, unklar, falls, wenn, ob, gerücht*, munkelt, soll, sollen, sollte, sollten, mal sehen, denkbar, hätte, hätten, wäre, wären, eigentlich, irgendwann, kann sein, könnte sein, gut möglich, weiß keiner, halb scherzhaft, schwer zu sagen, haha, klar doch, na toll, ja sicher, träum*",
    plan: "plant, planen, geplant, will, wollen, möchte, möchten, überlegt, überlegen, überlege, erwägt, erwägen, hofft, hoffe, wünscht, wünsche, vorhat, vor haben, hat vor, vorschlag*, vorgeschlagen, diskutiert, diskutieren, besprochen, demnächst, nächstes jahr, nächsten monat, im nächsten, bald, zukünftig, träumt, würde gern, idee, angedacht, im gespräch, vornehmen, vorgenommen, vielleicht mal, anfrage",
    said: "laut, sagt, sagte, sagen, meint, meinte, behauptet, behauptete, gehört dass, habe gehört, erzählt*, heißt es, zitat, zufolge, fragt, fragte, gefragt,",
    temporary:
      "morgen, diese woche, diesen monat, diesmal, ausnahmsweise, vorübergehend, vorläufig, vorerst, bis auf weiteres, zeitweise, kurzzeitig, einmalig, solange, während, am wochenende, übers wochenende, für zwei wochen, für eine woche, ein paar tage, für die dauer, wegen krankheit, im urlaub, vertretungsweise, vertritt, übergangsweise, provisorisch, momentan, zurzeit, derzeit, im moment, an heiligabend, an weihnachten, an silvester, an ostern, am feiertag, an feiertagen, bis ende, bis freitag, bis montag, nur am, nächste woche, nächsten, nächster, bis zum, nur bis, testweise, probeweise, aushilfsweise, ausnahme",
    added:
      "kommt dazu, kommt zusätzlich, hinzu, ergänz*, hinzugefügt, muss noch, fehlt noch, noch auf, dazu, nicht vergessen, nicht zu vergessen",
    today: "heute",
    but: "sondern, aber, jedoch, allerdings, dagegen, hingegen"
  },
  empty: `der die das den dem des ein eine einen einem einer eines und oder in im an am auf aus bei beim mit nach von vom vor zu
    zum zur über unter für um bis durch als wie dass daß weil da er sie es ihr ihm ihn ihnen sich sein seine seinen seiner seinem ihre ihren ihrem ihrer
    dieser diese dieses diesem diesen dort hier so sehr schon ja doch mal nur ganz etwa ca circa rund ungefähr gut dann denn damit daran davon dabei man ab seit
    kann können gerade muss müssen darf dürfen mehr noch sei gegen zwischen pro je worden geht gibt also wo was wer alle alles nämlich eben halt erst immer ins herr frau je jeweils eigene eigenen`,
  copulas: "ist sind bin sei",
  decimal: ",",
  links:
    "lautet heißt wohnt wohne wohnen lebt leben lebe liegt liegen steht stehen hängt hängen sitzt bekommt bekommen geht gehen kommt trägt herrscht arbeitet arbeite arbeiten kostet kosten beträgt dauert beginnt startet fängt endet öffnet schließt läuft laufen gehört leitet hört betreut verantwortet findet gilt befindet zeigt wiegt misst betreibt studiert fährt verwendet verwenden nutzt nutzen benutzt setzt setzen lauscht zahlt zahlen bekommt geleitet zieht macht",
  openLinks: "hat haben habe mag mögen isst trinkt spricht kennt braucht liebt hasst spielt kauft besucht sammelt",
  thisWords: "diesen dieses diese dieser",
  speaker: "ich mir mich mein meine meinen meiner meinem meines wir uns unser unsere unseren unserem unserer",
  scopes: `mutter vater bruder schwester sohn tochter onkel tante cousin cousine oma opa neffe nichte freund freundin kollege kollegin nachbar nachbarin
    chef chefin kinder eltern schwager schwägerin großmutter großvater produktion prod produktiv staging test entwicklung dev vorschau lokal sandbox links rechts oben unten nord süd ost west
    sommer winter werktags wochenende samstags sonntags montags dienstags mittwochs donnerstags freitags erster zweiter ios android windows linux mac intern extern`,
  same: `wohnen, leben, wohnhaft, gewohnt; arbeiten, angestellt, beschäftigt, tätig, gearbeitet, job; radeln, radelt, rad, fahrrad; kündigen, gekündigt; holen, abholen, holt; bringen, bringt; zahlen, zahlt, bezahlt; dauern, dauert; lieben, liebt; mögen, mag; hassen, hasst; angst, fürchtet, furcht; sprechstunde, öffnungszeiten; garten, gärtchen; ehefrau, gattin; ehemann, gatte; unterschrieben, unterschrift, unterschreiben; auto, wagen, pkw, fahrzeug; besprechung, meeting, termin, sitzung; handy, mobiltelefon, smartphone;
    telefonnummer, rufnummer, nummer, telefon; adresse, anschrift; arzt, doktor, mediziner; chef, vorgesetzter, leiter; firma, unternehmen, betrieb; geburtstag, geboren; passwort, kennwort; mail, email, e-mail; büro, office;
    rechner, computer, pc; essen, isst, gegessen, verzehrt; trinken, trinkt, getrunken; fahren, fährt, gefahren; beginnen, beginnt, starten, startet, anfangen, fängt, los; enden, endet, aufhören, schluss; öffnen, öffnet, geöffnet, aufmachen; schließen, schließt, geschlossen;
    nutzen, verwenden, benutzen, einsetzen, genutzt, verwendet, setzt; kosten, preis, gebühr; montatlich, monat; jährlich, jahr; täglich, tag; wöchentlich, woche; datenbank, db; kubernetes, k8s; version, release; server, rechner; verantwortlich, zuständig, verantwortet, betreut, betreuen, kümmert;
    heißen, heißt, name; zuhause, homeoffice, home-office, hause; budget, verfügung, etat; vegetarier, vegetarisch, vegetarierin; allergie, allergisch, allergiker; verheiratet, geheiratet, ehe; deployment, deploy, deployen, ausrollen, ausgerollt, rollout; kinder, kind; hund, hündin; kater, katze; umzug, umziehen; frist, deadline, abgabe, stichtag; kneipe, wirtshaus; sprechen, spricht; lesen, liest; laufen, läuft; geben, gibt`,
  opposites: `an, aktiv, aktiviert, eingeschaltet, ein, aktivieren / aus, inaktiv, deaktiviert, ausgeschaltet, abgeschaltet, deaktivieren; offen, geöffnet, auf / geschlossen, zu, dicht; öffentlich / privat; mag, mögen, liebt, gern, gerne, lieben / hasst, ungern, verabscheut, hassen; verfügbar / unverfügbar;
    pflicht, verpflichtend, obligatorisch / freiwillig, optional; verheiratet / geschieden, ledig; manuell, händisch / automatisch, automatisiert; dunkel, dunkles / hell, helles; funktioniert / kaputt, defekt; gesund / krank; bestanden / durchgefallen; raucher / nichtraucher; vollzeit / teilzeit; einverstanden / dagegen; genehmigt, zugelassen / abgelehnt; voll / leer; kostenlos, gratis / kostenpflichtig`,
  units: {
    time: "sekunde=1 sekunden=1 sek=1 s=1 ms=0.001 millisekunden=0.001 minute=60 minuten=60 min=60 stunde=3600 stunden=3600 std=3600 tag=86400 tage=86400 tagen=86400 woche=604800 wochen=604800 monat=2629800 monate=2629800 monaten=2629800 jahr=31557600 jahre=31557600 jahren=31557600",
    length: "mm=0.001 cm=0.01 zentimeter=0.01 m=1 meter=1 metern=1 km=1000 kilometer=1000 kilometern=1000",
    mass: "mg=0.001 g=1 gramm=1 kg=1000 kilo=1000 kilogramm=1000 pfund=500 t=1000000 tonnen=1000000",
    money: "euro=1 eur=1 €=1",
    cents: "cent=1 ct=1",
    dollar: "dollar=1 usd=1 $=1",
    franc: "franken=1 chf=1",
    percent: "%=1 prozent=1",
    bytes: "kb=0.001 mb=1 gb=1000 tb=1000000",
    volume: "ml=0.001 l=1 liter=1 litern=1",
    temperature: "°c=1 grad=1 °=1"
  },
  numbers:
    "null=0 eins=1 zwei=2 drei=3 vier=4 fünf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 elf=11 zwölf=12 dreizehn=13 vierzehn=14 fünfzehn=15 zwanzig=20 dreißig=30 vierzig=40 fünfzig=50 sechzig=60 siebzig=70 achtzig=80 neunzig=90 hundert=100 tausend=1000 dutzend=12",
  clock: "uhr",
  minutes: "",
  minutesBefore: "halb=-30, viertel nach=15, viertel vor=-15, dreiviertel=-15",
  due: "sucht, suchen, suche, noch zu, offen, ausstehend, aussteht, steht aus, fehlt, fehlen, unbesetzt, außer betrieb, kaputt, defekt, gesperrt, krank, krankgeschrieben, muss noch, müssen noch, steht noch, klemmt, streikt, undicht, wartet, warten, unbezahlt, in arbeit, läuft noch, gesucht, vermisst, nicht fertig, verliehen, verschwunden, im krankenhaus, schwanger, leer, geplatzt, beantragt, noch nicht, in reparatur, verletzt, in elternzeit, verlobt, zu verkaufen, ausverkauft",
  done: "gefunden, erledigt, repariert, behoben, funktioniert, geht wieder, läuft wieder, fertig, abgeschlossen, bezahlt, verschickt, abgeschickt, eingereicht, besetzt, zurück, gesund, untergebracht, zusage, unterschrieben, abgegeben, bestanden, gekauft, verkauft, eingetroffen, angekommen, wieder da, gelöst, freigegeben, geheiratet, geliefert, eingebaut, montiert, vergeben, wiedergefunden, aufgetaucht, entlassen, geboren, genehmigt, bewilligt, aufgefüllt, nachgefüllt, überwiesen, beglichen, übergeben, ausgepackt, aufgebaut, genesen, getauscht",
  months:
    "januar/jan/jänner februar/feb märz april/apr mai juni/jun juli/jul august/aug september/sep/sept oktober/okt november/nov dezember/dez",
  weekdays:
    "montag/mo/montags dienstag/di/dienstags mittwoch/mi/mittwochs donnerstag/do/donnerstags freitag/fr/freitags samstag/sa/samstags/sonnabend sonntag/so./sonntags",
  endedAfterNot: ["nicht kein keine keinen keinem niemand", "mehr länger"],
  fromTo: ["von vom aus", "auf nach zu zum zur"],
  endings: /(?:ern|es|en|em|er|e|n|s|t|te|ten|et|st)$/
}
