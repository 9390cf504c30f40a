//! Plugins and groups of them.

use strata_app::prelude::*;

use crate::{Log, logging, noted, panic_of};

/// Notes what is done with it.
struct Loud(&'static str);

impl Loud {
    fn say(&self, app: &mut App, what: &str) {
        app.world_mut().resource_mut::<Log>().0.push(format!("{what} {}", self.0));
    }
}

impl Plugin for Loud {
    fn build(&self, app: &mut App) {
        self.say(app, "build");
    }

    fn finish(&self, app: &mut App) {
        self.say(app, "finish");
    }

    fn cleanup(&self, app: &mut App) {
        self.say(app, "cleanup");
    }

    fn is_unique(&self) -> bool {
        false
    }
}

struct Once;

impl Plugin for Once {
    fn build(&self, _: &mut App) {}
}

struct Of<T>(T);

impl<T: Send + Sync + 'static> Plugin for Of<T> {
    fn build(&self, _: &mut App) {}
}

fn adds_once(app: &mut App) {
    app.add_plugins(Once);
}

#[test]
fn all_are_built_then_finished_then_cleaned_up() {
    let mut app = logging();
    app.add_plugins((Loud("a"), (Loud("b"), Loud("c"))));
    assert_eq!(noted(&mut app), ["build a", "build b", "build c"]);
    app.update();
    assert_eq!(noted(&mut app), ["finish a", "finish b", "finish c", "cleanup a", "cleanup b", "cleanup c"]);
    app.update();
    app.finish();
    assert!(noted(&mut app).is_empty());
    // One that comes late has its turn, too.
    app.add_plugins(Loud("d"));
    app.update();
    assert_eq!(noted(&mut app), ["build d", "finish d", "cleanup d"]);
}

#[test]
fn one_that_is_added_while_others_finish_is_finished() {
    struct Outer;
    impl Plugin for Outer {
        fn build(&self, _: &mut App) {}
        fn finish(&self, app: &mut App) {
            app.add_plugins(Loud("inner"));
        }
    }
    let mut app = logging();
    app.add_plugins(Outer).update();
    assert_eq!(noted(&mut app), ["build inner", "finish inner", "cleanup inner"]);
}

#[test]
fn a_unique_one_that_is_added_twice_is_named() {
    let message = panic_of(|| _ = App::new().add_plugins((Once, adds_once)));
    assert!(
        message.starts_with("plugin `app::plugins::Once` was added twice, now by plugin `app::plugins::adds_once`")
    );
    let message = panic_of(|| _ = App::new().add_plugins(adds_once).add_plugins(adds_once));
    assert!(message.starts_with("plugin `app::plugins::adds_once` was added twice;"), "{message}");
    // Two types are two plugins, and closures are types.
    App::new().add_plugins((Of(1), Of(true), |_: &mut App| {}, |_: &mut App| {}));
}

#[test]
fn one_that_can_be_asked_for_is_not_added_again() {
    fn careful(app: &mut App) {
        if !app.is_plugin_added::<Once>() {
            app.add_plugins(Once);
        }
    }
    let mut app = App::new();
    app.add_plugins((Once, careful));
    assert_eq!(app.get_added_plugins::<Once>().len(), 1);
    assert!(!app.is_plugin_added::<Of<u8>>());
    assert!(format!("{app:?}").contains("Once"));
}

#[test]
fn a_program_does_not_run_while_it_is_built() {
    let message = panic_of(|| _ = App::new().add_plugins(|app: &mut App| app.update()));
    assert!(message.starts_with("`App::update` was called while plugin `"), "{message}");
    let message = panic_of(|| {
        App::new().add_plugins(|app: &mut App| {
            app.run();
        });
    });
    assert!(message.starts_with("`App::run` was called while plugin `"), "{message}");
}

struct First_(&'static str);
struct Second_;

impl Plugin for First_ {
    fn build(&self, app: &mut App) {
        Loud(self.0).say(app, "build");
    }
}

impl Plugin for Second_ {
    fn build(&self, app: &mut App) {
        Loud("second").say(app, "build");
    }
}

struct Group;

impl PluginGroup for Group {
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>().add(First_("first")).add(Second_)
    }
}

/// Returns the plugins that a group adds, in order.
fn built(group: impl PluginGroup) -> Vec<String> {
    let mut app = logging();
    app.add_plugins(group.build());
    noted(&mut app)
}

#[test]
fn groups_can_be_changed() {
    assert_eq!(built(Group), ["build first", "build second"]);
    assert_eq!(built(Group.set(First_("other"))), ["build other", "build second"]);
    assert_eq!(built(Group.build().disable::<First_>()), ["build second"]);
    assert_eq!(built(Group.build().disable::<First_>().enable::<First_>()), ["build first", "build second"]);
    assert_eq!(built(Group.build().disable::<First_>().set(First_("other"))), ["build second"]);
    assert_eq!(built(Group.build().add_before::<First_>(Loud("x")))[0], "build x");
    assert_eq!(built(Group.build().add_after::<First_>(Loud("x")))[1], "build x");
    // One of a type moves to where it was last put.
    assert_eq!(built(Group.build().add(First_("first"))), ["build second", "build first"]);
    assert_eq!(built(Group.build().add_after::<Second_>(First_("first"))), ["build second", "build first"]);
    assert_eq!(built(Group.build().add_before::<First_>(Second_)), ["build second", "build first"]);
    let nested = PluginGroupBuilder::start::<Group>().add(Loud("x")).add_group(Group);
    assert!(nested.enabled::<Second_>() && nested.contains::<Loud>());
    assert_eq!(built(nested), ["build x", "build first", "build second"]);
    let message = panic_of(|| Group.build().disable::<Once>());
    assert_eq!(message, "the group `app::plugins::Group` has no plugin `app::plugins::Once`");
}

#[test]
fn a_group_in_a_tuple_may_not_repeat_a_plugin() {
    let message = panic_of(|| _ = logging().add_plugins((Second_, Group)));
    assert!(message.starts_with("plugin `app::plugins::Second_` was added twice"), "{message}");
    logging().add_plugins((Second_, Group.build().disable::<Second_>()));
}
